import type { JsonObject, JsonValue, ToolSpec, WireBlock } from '../../protocol/index.ts';
import { type RecordEvent, type ResultEvent, readRecord, type TokenUsage } from '../../records/index.ts';
import type { EpisodeLine } from '../folder/episode-line.ts';
import { recordPath } from '../folder/run-folder.ts';
import { saidIn } from './message-text.ts';

/** An episode as all exports see it: what was said and called, turn by turn. */
export interface Trajectory {
  readonly line: EpisodeLine;
  readonly tools: readonly ToolSpec[];
  readonly prompt: readonly WireBlock[];
  readonly turns: readonly Turn[];
}

/** One answer of a model with the calls that it made; without a model, one call. */
export interface Turn {
  readonly at: number;
  text: string;
  reasoning: string;
  /** Undefined without a model. */
  readonly model: string | undefined;
  readonly usage: TokenUsage | undefined;
  readonly calls: TurnCall[];
}

/** A call, and what came of it. */
export interface TurnCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** What the agent read. */
  blocks: readonly WireBlock[];
  reward: number | null;
  finished: boolean;
}

/** Reads an attempt from its record. Only one is in memory at a time. */
export async function readTrajectory(folder: string, line: EpisodeLine): Promise<Trajectory> {
  const builder = new Builder();
  for await (const event of readRecord(recordPath(folder, line.episode, line.attempt))) builder.add(event);
  const { tools, prompt, turns } = builder;
  return { line, tools, prompt, turns: turns.filter(({ text, calls }) => text !== '' || calls.length > 0) };
}

class Builder {
  tools: readonly ToolSpec[] = [];
  prompt: readonly WireBlock[] = [];
  readonly turns: Turn[] = [];
  readonly #calls = new Map<number, TurnCall>();
  #isSpoken = false;

  add(event: RecordEvent): void {
    switch (event.type) {
      case 'episode':
        this.tools = event.tools ?? [];
        break;
      case 'prompt':
        this.prompt = event.blocks;
        break;
      case 'message':
        if (event.role === 'assistant') this.#say(event);
        break;
      case 'call':
        this.#call(event);
        break;
      case 'result':
        this.#end(event);
        break;
    }
  }

  #say({ at, format, body, model }: Extract<RecordEvent, { type: 'message' }>): void {
    const said = saidIn(format, body);
    const last = this.turns.at(-1);
    // An answer in several messages tells of the request in its first.
    if (model === undefined && last !== undefined) {
      last.text += said.text;
      last.reasoning += said.reasoning;
      return;
    }
    this.#isSpoken = true;
    this.turns.push({ at, ...said, model: model?.name ?? '', usage: model?.usage, calls: [] });
  }

  #call({ n, at, tool, input }: Extract<RecordEvent, { type: 'call' }>): void {
    const call = { id: `call_${n}`, tool, input: toInput(input), blocks: [], reward: null, finished: false };
    if (!this.#isSpoken)
      this.turns.push({ at, text: '', reasoning: '', model: undefined, usage: undefined, calls: [] });
    this.turns.at(-1)?.calls.push(call);
    this.#calls.set(n, call);
  }

  #end(event: ResultEvent): void {
    const call = this.#calls.get(event.call);
    if (call === undefined) return;
    if (event.outcome === 'returned') {
      const { blocks, reward, finished } = event;
      Object.assign(call, { blocks, reward, finished });
    } else call.blocks = [{ type: 'text', text: event.failure.message, detail: null }];
  }
}

function toInput(input: JsonValue): JsonObject {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}
