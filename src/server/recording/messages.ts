import type { Secrets } from '../../core/index.ts';
import type { ToolSpec } from '../../protocol/index.ts';
import type { NewEpisode } from '../../records/index.ts';

// What the recorder tells its thread, and what it hears.

/** What the thread is told when it starts. */
export interface ThreadData {
  readonly folder: string;
  readonly maxBytes: number;
}

/** What happens in an episode. */
export type Kind = 'open' | 'prompt' | 'call' | 'result' | 'note' | 'end' | 'suspend';

/** One thing that happened. */
export interface Happening {
  /** The number of the session. */
  readonly session: number;
  readonly at: number;
  /** The number of the call, for calls and results. */
  readonly call: number;
  /** What a result pays; NaN if nothing. */
  readonly reward: number;
}

/** The same with what is to be written. */
export interface Entry extends Happening {
  readonly kind: Kind;
  /** Of prompts, calls, results and notes the fields of the event; the rest as JSON. */
  readonly text: string;
}

/** The same as it arrives. */
export interface ReceivedEntry extends Happening {
  /** Called: a call and its result, one behind the other. */
  readonly kind: Kind | 'called';
  /** What holds the text, in UTF-8. */
  readonly bytes: Buffer;
  /** Where it begins and ends there. */
  readonly start: number;
  readonly end: number;
  /** Of a call and its result, where the fields of the one end and those of the other begin. */
  readonly middle: number;
  /** Whether it holds neither an image nor what looks like a reference to a blob. */
  readonly hasNoBlobs: boolean;
}

/** The text of an entry of the kind `open`. */
export interface Opening {
  /** The name of its file, without extension: the same when it goes on after a restart. */
  readonly name: string;
  readonly episode: NewEpisode;
  readonly secrets: Secrets;
  /** Undefined: it is new. Otherwise the calls that ended before. */
  readonly past: readonly PastCallFields[] | undefined;
}

/** A call that has ended at an earlier server, as the fields of two events. */
export interface PastCallFields {
  readonly id: string;
  readonly call: string;
  readonly result: string;
  readonly reward: number | null;
}

/** What the thread is sent. */
export type Order =
  | { readonly batch: Uint8Array<ArrayBuffer> }
  | { readonly tools: ToolsByEnvironment }
  | { readonly close: true };

/** The tools of environments, by name. */
export type ToolsByEnvironment = ReadonlyMap<string, readonly ToolSpec[]>;

/** What the thread says after each batch. */
export interface Told extends Report {
  /** The memory of the batch, for another one. */
  readonly room: ArrayBuffer;
}

/** What became of a batch. */
export interface Report {
  /** How many events were written since the last report, and how many could not be. */
  readonly written: number;
  readonly dropped: number;
  /** What all records in the folder take. */
  readonly bytes: number;
  /** How many folders of old records were deleted to make room. */
  readonly deleted: number;
  /** What was wrong, if something was. */
  readonly problem: string | undefined;
}
