import type { HostEvent, Observer } from '../../sessions/index.ts';
import type { Logged } from './logger.ts';
import type { RunningCalls } from './running-calls.ts';

/** Writes when a server begins to stop, with what it has under way, and when it has stopped, with what that took. */
export class StopLog implements Observer {
  #sessions = 0;
  #stoppedSessions = 0;
  #beganAt = 0;

  constructor(app: Logged, running: RunningCalls) {
    app.addHook('preClose', async () => {
      this.#beganAt = performance.now();
      app.log.info({ sessions: this.#sessions, calls: [...running.all()].length }, 'stopping');
    });
    app.addHook('onClose', async () => {
      const ms = Math.round(performance.now() - this.#beganAt);
      app.log.info({ sessions: this.#stoppedSessions, ms }, 'stopped');
    });
  }

  on(event: HostEvent): void {
    if (event.type === 'session_started') this.#sessions += 1;
    if (event.type !== 'session_ended') return;
    this.#sessions -= 1;
    if (event.reason === 'stopped') this.#stoppedSessions += 1;
  }
}
