import { createHash } from 'node:crypto';
import type { Outcome } from 'tiltyard';

/** What a tool returned, or a client received; long texts by their digest. */
export interface Scored {
  readonly text: string;
  readonly reward: number | null;
  readonly finished: boolean;
}

interface Happened {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly episode: string;
}

/** What happened on the server, as the author's code wrote it down. */
export type ServerEvent = Happened & {
  /** Which process of the server it was, counted from 1. */
  readonly life: number;
  /** The process that ran it: the server's own, or that of a worker. */
  readonly pid?: number;
} & (
    | { readonly what: 'setup' | 'restore' | 'teardown' | 'torn down' }
    | { readonly what: 'run'; readonly token: string; readonly tool: string; readonly attempt?: number }
    /** `scored` is left out where the tool threw. */
    | { readonly what: 'ran'; readonly token: string; readonly tool: string; readonly scored?: Scored }
  );

/** What the server's log says. */
export type LogEvent = Happened & {
  readonly life: number;
  readonly outcome: Outcome;
} & (
    | { readonly what: 'call'; readonly token: string; readonly tool: string }
    | { readonly what: 'session ended'; readonly calls: number; readonly reward?: number; readonly lost?: string }
  );

/** What a client learnt about a call. */
export type Answer = (
  | { readonly kind: 'scored'; readonly scored: Scored; readonly digest?: string }
  /** The tool ran and failed: it says so itself. */
  | { readonly kind: 'broke' }
  /** The call did not run, and will not. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody can say whether it ran. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** The server says that it cannot say whether it ran. */
  | { readonly kind: 'outcome_unknown'; readonly why: string }
  /** The server says that the episode is lost. */
  | { readonly kind: 'lost'; readonly why: string }
) & {
  /** Left out where the client was not told. */
  readonly outcome?: Outcome | undefined;
};

/** What happened to a client. */
export type ClientEvent = Happened &
  (
    | {
        readonly what: 'sent';
        readonly token: string;
        readonly tool: string;
        readonly batch?: string;
        /** What it adds to the total of its episode. */
        readonly adds?: number;
      }
    | { readonly what: 'answered'; readonly token: string; readonly answer: Answer }
    | { readonly what: 'created' | 'not created' | 'deleted' }
    /** Something that must never happen to a client. */
    | { readonly what: 'fault'; readonly why: string }
  );

// Enough to see what it was; more would fill the memory of a long run.
const SHOWN = 120;

/** A text as it is written down: its digest where it is long. */
export function brief(text: string): string {
  if (text.length <= SHOWN) return text;
  return `${text.length} characters, ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
