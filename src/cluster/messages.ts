import type { Failure } from '../core/index.ts';
import type { CallEvent, CallRequest, CreateRequest, SessionRef } from '../sessions/index.ts';
import type { Predecessor } from './shared-journal.ts';

/** The subject of beats. */
export const BEATS = 'beats';

/** The subject on which a node is asked. */
export function nodeSubject(id: string): string {
  return `node.${id}`;
}

/** What a node says of itself, several times a second. */
export interface Beat {
  /** Its name and a part that is new with each start. */
  readonly id: string;
  readonly name: string;
  /** Its version of tiltyard. */
  readonly version: string;
  /** Since when it runs, in ms since 1970. */
  readonly since: number;
  readonly sessions: number;
  readonly maxSessions: number;
  /** How many of its sessions others could go on with. */
  readonly movable: number;
  /** Whether it takes no new sessions, and hands over those that it has. */
  readonly draining: boolean;
  /** How many sessions each identity has there, by a hash of the identity. */
  readonly owned: Readonly<Record<string, number>>;
  /** It is the last one: the node stops. */
  readonly isLast?: boolean;
}

/** What a node asks another one. `id` is the same when it asks once more because no answer came. */
export type Ask = { readonly id: string } & Question;

/** What is asked of the node that has a session, or shall have it. */
export type Question =
  /** `after`: nobody has it, and the asker chose this node to begin it after that record. Without it, somebody has it. */
  | { readonly op: 'create'; readonly ref: SessionRef; readonly request: CreateRequest; readonly after?: Predecessor }
  | { readonly op: 'prompt' | 'tools' | 'touch' | 'end'; readonly ref: SessionRef }
  /** Its client has cancelled a call. */
  | { readonly op: 'abort'; readonly ref: SessionRef; readonly taskId: string }
  /** `isAccepted`: the asker has heard that already, and wants to hear how it ends. */
  | { readonly op: 'call'; readonly ref: SessionRef; readonly request: CallRequest; readonly isAccepted: boolean }
  /** A session was handed over to this node. */
  | { readonly op: 'adopt'; readonly place: string }
  /** For people: the node hands over all its sessions. */
  | { readonly op: 'drain' };

/** What is answered. */
export type Answer =
  | { readonly kind: 'value'; readonly value?: unknown }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'event'; readonly event: CallEvent }
  /** The node does not have this session: look again who has it. */
  | { readonly kind: 'elsewhere' };
