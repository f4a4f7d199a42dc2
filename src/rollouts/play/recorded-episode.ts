import { type Session, ToolCallError } from '../../client/index.ts';
import type { JsonObject, WireBlock } from '../../protocol/index.ts';
import { type Halt, toEnvironmentHalt } from '../outcome/halt.ts';
import type { ToolAnswer } from './agent.ts';
import type { AttemptRecord } from './attempt-record.ts';

/** What an episode is played with. */
export interface EpisodeParts {
  readonly session: Session;
  readonly record: Pick<AttemptRecord, 'append'>;
  readonly signal: AbortSignal;
  /** Before each call: throws when there must be none. */
  readonly takeTurn: () => void;
}

/** The calls of an episode, one after the other, each written down with how it ended. */
export class RecordedEpisode {
  readonly #parts: EpisodeParts;
  readonly rewards: number[] = [];
  steps = 0;
  isFinished = false;
  /** What the environment failed with: no agent can hide it. */
  halt: Halt | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: EpisodeParts) {
    this.#parts = parts;
  }

  /** Calls a tool once the calls before it have ended. */
  call(tool: string, input: JsonObject): Promise<ToolAnswer> {
    const calling = this.#last.then(() => this.#call(tool, input));
    this.#last = calling.catch(() => {});
    return calling;
  }

  /** Resolves when no call runs any more. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #call(tool: string, input: JsonObject): Promise<ToolAnswer> {
    const { session, record, signal, takeTurn } = this.#parts;
    if (this.halt !== undefined) throw this.halt;
    if (this.isFinished) throw new Error(`'${tool}' was not called: the episode is finished`);
    signal.throwIfAborted();
    takeTurn();
    const call = record.append({ type: 'call', tool, input });
    this.steps += 1;
    const startedAt = performance.now();
    const passed = () => Math.round(performance.now() - startedAt);
    try {
      const { blocks, text, reward, finished, metadata } = await session.call(tool, input, { signal });
      record.append({ type: 'result', call, ms: passed(), outcome: 'returned', blocks, reward, finished, metadata });
      if (reward !== null) this.rewards.push(reward);
      this.isFinished = finished;
      return { blocks, text, reward, finished, metadata, isError: false };
    } catch (thrown) {
      const failed = { type: 'result', call, ms: passed() } as const;
      if (signal.aborted) {
        record.append({ ...failed, outcome: 'cancelled', failure: { reason: 'refused', message: 'given up' } });
        throw signal.reason;
      }
      if (thrown instanceof ToolCallError && thrown.reason !== 'timeout') {
        const { reason, message } = thrown;
        record.append({ ...failed, outcome: 'tool_error', failure: { reason, message } });
        return toErrorAnswer(message);
      }
      this.halt = toEnvironmentHalt(thrown);
      const outcome =
        this.halt.stop === 'tool_timeout' ? 'timeout' : this.halt.stop === 'expired' ? 'expired' : 'env_error';
      const reason = outcome === 'timeout' ? 'timeout' : 'broken';
      record.append({ ...failed, outcome, failure: { reason, message: this.halt.message } });
      throw this.halt;
    }
  }
}

function toErrorAnswer(text: string): ToolAnswer {
  const blocks: WireBlock[] = [{ type: 'text', text, detail: null }];
  return { blocks, text, reward: null, finished: false, metadata: null, isError: true };
}
