import type { Secrets } from '../../core/index.ts';
import type { ToolSpec } from '../../protocol/index.ts';
import type { NewEpisode } from '../../records/index.ts';

// What the recorder tells its thread, and what it hears.

/** What the thread is told when it starts. */
export interface ThreadData {
  readonly folder: string;
  readonly maxBytes: number;
}

/** What happened in an episode. */
export type Kind = 'open' | 'prompt' | 'call' | 'result' | 'note' | 'end' | 'suspend';

/** One thing that happened, as it is sent. */
export interface Entry {
  readonly kind: Kind;
  /** The number of the session. */
  readonly session: number;
  readonly at: number;
  /** The number of the call, for calls and results. */
  readonly call: number;
  /** What a result pays; NaN if nothing. */
  readonly reward: number;
  /** Of prompts, calls, results and notes the fields of the event; the rest as JSON. */
  readonly text: string;
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

const KINDS: readonly Kind[] = ['open', 'prompt', 'call', 'result', 'note', 'end', 'suspend'];

/** Entries on their way, as two plain lists: objects would take longer to copy from thread to thread than to make. */
export interface Batch {
  readonly numbers: number[];
  readonly texts: string[];
}

/** A batch with nothing in it. */
export function newBatch(): Batch {
  return { numbers: [], texts: [] };
}

/** Adds an entry to a batch. */
export function push({ numbers, texts }: Batch, { kind, session, at, call, reward, text }: Entry): void {
  numbers.push(KINDS.indexOf(kind), session, at, call, reward);
  texts.push(text);
}

/** The entries of a batch. */
export function* entriesOf({ numbers, texts }: Batch): Generator<Entry> {
  let at = 0;
  const next = () => numbers[at++] as number;
  for (const text of texts)
    yield { kind: KINDS[next()] as Kind, session: next(), at: next(), call: next(), reward: next(), text };
}

/** What the thread is sent. */
export type Order = { readonly batch: Batch } | { readonly tools: ToolsByEnvironment } | { readonly close: true };

/** The tools of environments, by name. */
export type ToolsByEnvironment = ReadonlyMap<string, readonly ToolSpec[]>;

/** What the thread says after each batch. */
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
