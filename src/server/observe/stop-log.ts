import type { Logged } from './logger.ts';
import type { Numbers } from './numbers.ts';

/** Writes when a server begins to stop, with what it has under way, and when it has stopped, with what that took. */
export function logStop(app: Logged, numbers: Numbers): void {
  let beganAt = 0;
  app.addHook('preClose', async () => {
    beganAt = performance.now();
    app.log.info({ sessions: numbers.liveSessions, calls: numbers.running.length }, 'stopping');
  });
  app.addHook('onClose', async () => {
    const ms = Math.round(performance.now() - beganAt);
    app.log.info({ sessions: numbers.stoppedSessions, ms }, 'stopped');
  });
}
