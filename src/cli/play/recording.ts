import { rmSync } from 'node:fs';
import type { ToolSpec, WireBlock } from '../../protocol/index.ts';
import { type NewEnd, RecordWriter } from '../../records/index.ts';
import { eventsOf } from '../shared/calls.ts';
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
  #written = 0;
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

  /** Writes what is new. */
  save({ calls, outcome }: Game): void {
    for (const played of calls.slice(this.#written)) {
      for (const event of eventsOf(played, this.#writer.next)) this.#writer.append(event);
      this.#written += 1;
    }
    if (outcome === 'finished') this.#end({ type: 'end', outcome, stop: 'finished', fault: 'none' });
    else if (outcome === 'left') this.#end({ type: 'end', outcome: 'cancelled', stop: 'gave_up', fault: 'agent' });
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
