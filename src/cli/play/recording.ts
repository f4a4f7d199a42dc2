import { rmSync } from 'node:fs';
import { ClientError } from '../../client/index.ts';
import type { ToolSpec, WireBlock } from '../../protocol/index.ts';
import { type NewEnd, RecordWriter } from '../../records/index.ts';
import { type Move, toResultEvent } from '../shared/calls.ts';
import type { Chosen } from '../shared/episode.ts';
import { misuse } from '../shared/failure.ts';
import type { Game } from './game.ts';

/** What is known of a game when it begins. */
export interface GameStart {
  readonly environment: string;
  readonly choice: Chosen;
  readonly sid: string;
  readonly tools: readonly ToolSpec[];
  readonly prompt: readonly WireBlock[];
  /** What must not be in the file. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** Writes a game down while it is played. */
export class GameRecord implements Disposable {
  readonly #writer: RecordWriter;
  /** The number of the call that runs, and since when. */
  #running: { readonly call: number; readonly since: number } | undefined;
  #hasEnded = false;

  /** Takes the place of a file of that name. At once, so that a file that cannot be written is known before anybody plays. */
  constructor(file: string, { environment, choice, sid, tools, prompt, hidden }: GameStart) {
    try {
      rmSync(file, { force: true });
      this.#writer = RecordWriter.open(file, { secrets: hidden });
    } catch (thrown) {
      throw misuse(`${file} cannot be written: ${(thrown as Error).message}`);
    }
    this.#writer.append({ type: 'episode', by: 'play', environment, ...(choice as object), id: sid, tools });
    this.#writer.append({ type: 'prompt', blocks: prompt });
  }

  /** Writes a call before it is made: its tool may end the process. */
  begin({ tool, input }: Move): void {
    this.#running = { call: this.#writer.append({ type: 'call', tool, input }), since: performance.now() };
  }

  /** Writes what is new. */
  save({ calls, outcome }: Game): void {
    const last = calls.at(-1);
    if (this.#running !== undefined && last !== undefined) this.#writer.append(toResultEvent(last, this.#running.call));
    this.#running = undefined;
    if (outcome === 'finished') this.#end({ type: 'end', outcome, stop: 'finished', fault: 'none' });
    else if (outcome === 'left') this.#end({ type: 'end', outcome: 'cancelled', stop: 'gave_up', fault: 'agent' });
  }

  /** Writes that the episode was lost in a call, if it was. */
  lose(thrown: unknown): void {
    if (this.#running === undefined || !(thrown instanceof ClientError)) return;
    const { call, since } = this.#running;
    const isExpired = thrown.outcome === 'expired';
    const outcome = isExpired ? 'expired' : 'env_error';
    const ms = Math.round((performance.now() - since) * 1000) / 1000;
    this.#writer.append({
      ...{ type: 'result', call, ms, outcome },
      failure: { reason: 'broken', message: thrown.message },
    });
    this.#end({ type: 'end', outcome, stop: isExpired ? 'expired' : 'lost', fault: 'environment' });
  }

  [Symbol.dispose](): void {
    if (!this.#hasEnded) this.#end({ type: 'end', outcome: 'cancelled', stop: 'interrupted' });
    this.#writer.close();
  }

  #end(end: NewEnd): void {
    this.#writer.append(end);
    this.#hasEnded = true;
  }
}
