import type { Absence } from '../host.ts';
import type { Keeping } from '../keeper.ts';
import { absenceOf, suspensionOf } from '../session-errors.ts';
import type { WhyLost } from './loss.ts';
import type { SessionEnd } from './outcome.ts';

/** How a session ends: for good, or only here, because it goes on at another server or when this one has started again. */
export class SessionEnding {
  /** What ended it, once something has. */
  end: SessionEnd | undefined;
  /** Why its code can no longer run, if it cannot. */
  lost: WhyLost | undefined;
  /** Whether another server has it now. */
  isElsewhere = false;
  readonly #keeping: Keeping | undefined;
  /** That it is written down. */
  #noted: Promise<boolean> | undefined;

  constructor(keeping: Keeping | undefined) {
    this.#keeping = keeping;
  }

  /** Whether it has ended here only. One that was lost before its server stopped goes on nowhere. */
  get isSuspended(): boolean {
    if (this.isElsewhere) return true;
    return this.end === 'stopped' && this.lost === undefined && this.#keeping?.survivesServer === true;
  }

  /** Why nothing more can be asked of the session, once it has ended. */
  absenceOf(sid: string): Absence {
    return this.isSuspended ? suspensionOf(sid) : absenceOf(sid, this.end, this.lost?.words);
  }

  /** Notes why its code can no longer run. What is returned must be over before anybody hears it: the next server must not find it alive. */
  lose(why: WhyLost): Promise<void> | undefined {
    this.lost = why;
    return this.#keeping?.survivesServer === true ? this.#noteLost() : undefined;
  }

  /** Writes it down, once, unless it goes on elsewhere: what came first stays. False if another server has the session. */
  async note(end: SessionEnd): Promise<boolean> {
    this.#noted ??= this.isSuspended ? this.#leave() : this.#keeping?.end(end, this.lost?.words);
    return (await this.#noted) ?? true;
  }

  async #leave(): Promise<boolean> {
    await this.#keeping?.leave();
    return true;
  }

  async #noteLost(): Promise<void> {
    if (!(await this.note('lost'))) this.isElsewhere = true;
  }
}
