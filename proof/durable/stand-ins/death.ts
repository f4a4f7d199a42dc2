import type { Step } from '../failpoints.ts';

// So that an answer which did not wait for its record goes out.
const HELD_MS = 50;

/** Ends this process where FAILPOINT says. */
class Death {
  readonly #where: string;
  #left: number;
  /** Set when a record is held back: nothing is written after it. */
  isNear = false;

  constructor(failpoint: string) {
    const [moment, step, count] = failpoint.split(' ');
    this.#where = `${moment} ${step}`;
    this.#left = Number(count);
  }

  /** To be asked before a step. */
  before(step: Step): boolean {
    if (this.#isAt(`before ${step}`)) {
      this.isNear = true;
      setTimeout(die, HELD_MS);
    }
    return this.isNear;
  }

  /** To be told after it. */
  after(step: Step): void {
    if (this.#isAt(`after ${step}`)) die();
  }

  #isAt(where: string): boolean {
    if (where !== this.#where) return false;
    this.#left -= 1;
    return this.#left === 0;
  }
}

/** The death of this process. */
export const death: Death = new Death(process.env.FAILPOINT ?? 'never - 0');

/** Ends this process as `kill -9` does. */
export function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
