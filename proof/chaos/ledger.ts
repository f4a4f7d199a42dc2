import { openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Step, type StepOptions, step } from 'tiltyard';
import { brief, type ServerEvent } from './events.ts';

/** Writes down what the author's code does, at once: not even a crash may lose a line. */
export class Ledger {
  readonly #file: number;
  readonly #life: number;

  constructor(path: string, life: number) {
    this.#file = openSync(path, 'a');
    this.#life = life;
  }

  /** Notes what becomes of an episode. */
  note(episode: string, what: 'setup' | 'restore' | 'teardown' | 'torn down'): void {
    this.#write({ episode, what });
  }

  /** Runs a tool between two lines. What it does may take its time, or fail. */
  run({ episode, token, tool, attempt }: Run, work: () => Scorable | Promise<Scorable>): Step | Promise<Step> {
    this.#write({ episode, what: 'run', token, tool, attempt });
    const ended = ({ text, ...options }: Scorable) => {
      const { reward = null, finished = false } = options;
      this.#write({ episode, what: 'ran', token, tool, scored: { text: brief(text), reward, finished } });
      return step(text, options);
    };
    const threw = (thrown: unknown): never => {
      this.#write({ episode, what: 'ran', token, tool });
      throw thrown;
    };
    let result: Scorable | Promise<Scorable>;
    try {
      result = work();
    } catch (thrown) {
      return threw(thrown);
    }
    return result instanceof Promise ? result.then(ended, threw) : ended(result);
  }

  #write(event: object): void {
    const { pid } = process;
    writeSync(this.#file, `${JSON.stringify({ at: Date.now(), life: this.#life, pid, ...event })}\n`);
  }
}

/** Which call runs. */
export interface Run {
  readonly episode: string;
  readonly token: string;
  readonly tool: string;
  /** Left out where it makes no difference. */
  readonly attempt?: number;
}

/** What a tool has to say. */
export interface Scorable extends Pick<StepOptions, 'finished'> {
  readonly text: string;
  readonly reward?: number | null;
}

/** Everything that was written down, in order. */
export async function readLedger(path: string): Promise<ServerEvent[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ServerEvent);
}
