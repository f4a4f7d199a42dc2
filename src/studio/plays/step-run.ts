import type { JsonObject } from '../../protocol/index.ts';
import type { Problem, Step } from '../api.ts';
import { type ToMessage, toProblem } from '../shared/client-problem.ts';
import { mask } from '../shared/mask.ts';
import { divergencesOf } from './divergences.ts';
import type { Stage } from './stage.ts';
import type { StepLog, WireLog } from './wire-log.ts';

/** A call that is made. */
export interface StepOptions {
  readonly n: number;
  readonly tool: string;
  readonly input: JsonObject;
  /** The same step of the play that this one is a branch of. */
  readonly before: Step | null;
}

/** What a call needs of its play. */
export interface StepPlace {
  readonly stage: Stage;
  readonly wire: WireLog;
  readonly secrets: Readonly<Record<string, string>>;
  readonly toMessage: ToMessage | undefined;
}

const CANCELLED: Problem = {
  kind: 'cancelled',
  code: null,
  message: 'you stopped waiting for this call',
  advice: 'The tool may have run, or may still be running: the server cannot take a call back.',
  status: null,
};

/** One call from its beginning to its end. */
export class StepRun {
  readonly log: StepLog = [];
  readonly ended: Promise<void>;
  step: Step;
  readonly #cancel = new AbortController();

  constructor({ n, tool, input, before }: StepOptions, place: StepPlace, onEnd: () => void) {
    this.step = {
      n,
      tool,
      input: mask(input, place.secrets),
      status: 'running',
      startedAt: Date.now(),
      ms: null,
      result: null,
      problem: null,
      isReplay: before !== null,
      divergences: [],
    };
    const started = performance.now();
    this.ended = place.wire
      .within(this.log, () => this.#call(tool, input, place))
      .then((came) => {
        const ms = Math.round((performance.now() - started) * 1000) / 1000;
        const now = { ...this.step, ...came, ms };
        this.step = { ...now, divergences: before === null ? [] : divergencesOf(before, now) };
        onEnd();
      });
  }

  /** Stops waiting; has no effect on one that has ended. */
  cancel(): void {
    this.#cancel.abort();
  }

  async #call(tool: string, input: JsonObject, { stage, secrets, toMessage }: StepPlace): Promise<Partial<Step>> {
    try {
      const result = await stage.call(tool, input, this.#cancel.signal);
      return { status: 'returned', result: mask(result, secrets) };
    } catch (thrown) {
      if (this.#cancel.signal.aborted) return { status: 'cancelled', problem: CANCELLED };
      return { status: 'failed', problem: mask(toProblem(thrown, toMessage), secrets) };
    }
  }
}
