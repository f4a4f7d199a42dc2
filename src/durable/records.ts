import type { Durability, Secrets } from '../core/index.ts';
import type { JournalRecord } from '../journal/index.ts';
import type { CallEnding, SessionEnd, TaskChoice } from '../sessions/index.ts';

// What is written down of an episode, in this order: create, setup, prompt and calls as they come, and its end.

/** An episode was asked for; its setup has not begun. */
export interface CreateRecord extends JournalRecord {
  readonly type: 'create';
  /** The form of these records. */
  readonly v: 1;
  readonly sid: string;
  readonly identity: string;
  readonly environment: string;
  readonly durability: Durability;
  readonly seed: number;
  /** A hash of what its client sent: the same request again means the same episode. */
  readonly request: string;
  /** Undefined where nothing else of it may be written: it came with secrets, and there is no key for them. */
  readonly start:
    | { readonly choice: TaskChoice; readonly taskDigest: string | undefined; readonly secrets: Secrets }
    | undefined;
}

/** Setup has ended, and left this state (`saved`). Only where states are saved. */
export interface SetupRecord extends JournalRecord {
  readonly type: 'setup';
}

/** The prompt was read. */
export interface PromptRecord extends JournalRecord {
  readonly type: 'prompt';
  readonly json: string;
}

/** A call is about to run whose effects do not end with the process. */
export interface BeginRecord extends JournalRecord {
  readonly type: 'begin';
  readonly call: RecordedCall;
}

/** A call has ended. */
export interface EndRecord extends JournalRecord {
  readonly type: 'end';
  readonly call: RecordedCall;
  /** As it was told; left out where only its digest is needed. */
  readonly ending?: CallEnding | undefined;
  readonly told?: string | undefined;
  readonly durationMs: number;
  readonly reward: number | null;
  readonly finished: boolean;
  /** Why the episode cannot be built again since, in words. */
  readonly tainted?: string | undefined;
}

/** The call of a record. */
export interface RecordedCall {
  readonly id: string;
  readonly tool: string;
  /** As JSON, as it was sent. */
  readonly input: string;
  readonly attempt: number;
}

/** Somebody used the session. */
export interface TouchRecord extends JournalRecord {
  readonly type: 'touch';
}

/** The session has ended. The last record of its key, and after a while the only one. */
export interface CloseRecord extends JournalRecord {
  readonly type: 'close';
  readonly sid: string;
  readonly identity: string;
  readonly end: SessionEnd;
  /** Why it was lost, in words. */
  readonly why?: string | undefined;
  /** What its first record said, which may be gone, for people who list the journal. Journals of earlier versions lack it. */
  readonly environment?: string;
  readonly durability?: Durability;
  readonly since?: number;
}

/** The last record of the session that began with `create`. */
export function toCloseRecord(create: Begun, end: SessionEnd, why?: string): CloseRecord {
  const { sid, identity, environment, durability, at: since } = create;
  return { type: 'close', at: Date.now(), sid, identity, end, why, environment, durability, since };
}

/** What the last record of a session repeats of the first one. */
export type Begun = Pick<CreateRecord, 'sid' | 'identity' | 'environment' | 'durability' | 'at'>;

/** Another node of a cluster has the episode from here on. */
export interface OwnRecord extends JournalRecord {
  readonly type: 'own';
  readonly node: string;
  readonly epoch: number;
}

export type EpisodeRecord =
  | CreateRecord
  | SetupRecord
  | PromptRecord
  | BeginRecord
  | EndRecord
  | TouchRecord
  | OwnRecord
  | CloseRecord;

// What is written down of a call of a toolkit, under a key of its own: its begin, and its end.

/** A call is about to run. Not with which input: who asks again brings it along. */
export interface ToolBeginRecord extends JournalRecord {
  readonly type: 'tool_begin';
  /** The form of these records. */
  readonly v: 1;
  readonly identity: string;
  readonly callId: string;
  /** The whole id of the tool. */
  readonly tool: string;
  /** A digest of what was asked. */
  readonly asked: string;
  readonly attempt: number;
}

/** The call has ended. */
export interface ToolEndRecord extends JournalRecord {
  readonly type: 'tool_end';
  /** As it was told. */
  readonly ending: CallEnding;
  readonly durationMs: number;
}

export type ToolCallRecord = ToolBeginRecord | ToolEndRecord;

/** All that the journal of a server holds: of episodes and of calls, under keys that cannot be mixed up (`isCallKey`). */
export type ServerRecord = EpisodeRecord | ToolCallRecord;
