import type { CallOutcome, EpisodeOutcome, JsonObject, JsonValue, ToolSpec, WireBlock } from '../protocol/index.ts';

/** The version of the format that is written. A reader reads this one and all before it. */
export const RECORD_VERSION = 1;

/** What every event of a record has. */
export interface NumberedEvent {
  /** Its number in the record, from 0; other events refer to it by this. */
  readonly n: number;
  /** When it happened, in ms since 1970. */
  readonly at: number;
}

/** The first event: which episode this is. */
export interface EpisodeEvent extends NumberedEvent {
  readonly type: 'episode';
  /** The version of the format. */
  readonly v: number;
  /** What wrote the record. */
  readonly by: Recorder;
  readonly environment: string;
  /** Where the task comes from; left out if the task was the client's own. */
  readonly split?: string;
  readonly index?: number;
  /** The task itself, where it is known. */
  readonly task?: JsonObject;
  /** The hash of the task (`taskHashOf`), where the task is known. */
  readonly taskHash?: string;
  /** What all chance in the episode began with. */
  readonly seed?: number;
  /** The session's id on its server, or the episode's id in its run. */
  readonly id?: string;
  /** Who played it, as the server knows them. Never a key. */
  readonly identity?: string;
  /** Which of several episodes of the same task, from 0. */
  readonly repeat?: number;
  /** Which try at this episode, from 1. */
  readonly attempt?: number;
  /** Who decided what to call: a model, a policy, or a name of your own. */
  readonly agent?: string;
  /** The tools of the episode. */
  readonly tools?: readonly ToolSpec[];
  /** Versions of whatever took part, by name: `tiltyard`, `node`, the environment. */
  readonly versions: Readonly<Record<string, string>>;
  /** Labels of your own. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** What can write a record. */
export type Recorder = 'server' | 'run' | 'play' | 'test';

/** What the agent reads first. */
export interface PromptEvent extends NumberedEvent {
  readonly type: 'prompt';
  readonly blocks: readonly WireBlock[];
}

/** A message to a model or from one. Each is written once; later model calls refer to it. */
export interface MessageEvent extends NumberedEvent {
  readonly type: 'message';
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** The API whose form `body` has: `openai-chat`, `openai-responses`, `anthropic`, `google`, or one of your own. */
  readonly format: string;
  /** The message as the provider sent it or gets it, verbatim: signatures of reasoning must survive. */
  readonly body: JsonValue;
  /** The request that this message answers; only for messages of a model. */
  readonly model?: ModelCall;
}

/** A request to a model. */
export interface ModelCall {
  readonly name: string;
  /** The messages it was sent, as ranges of event numbers, both ends included: of these events, all of type `message`. */
  readonly context: readonly (readonly [first: number, last: number])[];
  /** Temperature and the like. */
  readonly parameters?: JsonObject;
  readonly ms: number;
  readonly usage?: TokenUsage;
  /** Why the model stopped, in the words of its provider. */
  readonly stop?: string;
}

/** Tokens that a model call took. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  /** How many of `input` came from the provider's cache. */
  readonly cached?: number;
  /** How many of `output` were reasoning. */
  readonly reasoning?: number;
  /** Whether the model's server did not report them, so that they are estimated from the number of characters. */
  readonly estimated?: boolean;
}

/** A tool was called. */
export interface CallEvent extends NumberedEvent {
  readonly type: 'call';
  readonly tool: string;
  readonly input: JsonValue;
  /** The call's id on the server (`task_id`). */
  readonly id?: string;
  /** The number of the message that asked for it. */
  readonly message?: number;
}

/** How a call ended. */
export type ResultEvent = ReturnedEvent | FailedEvent;

/** What is known of every call that has ended. */
export interface EndedCallEvent extends NumberedEvent {
  readonly type: 'result';
  /** The number of its call. */
  readonly call: number;
  readonly ms: number;
}

/** A call returned. */
export interface ReturnedEvent extends EndedCallEvent {
  readonly outcome: 'returned';
  readonly blocks: readonly WireBlock[];
  readonly reward: number | null;
  readonly finished: boolean;
  readonly metadata: JsonObject | null;
}

/** A call gave no result. */
export interface FailedEvent extends EndedCallEvent {
  readonly outcome: Exclude<CallOutcome, 'returned'>;
  readonly failure: RecordedFailure;
}

/** Why a call gave no result. */
export interface RecordedFailure {
  /**
   * `not_found`, `input_validation`, `episode_finished`, `timeout` and `tool_error` as on the wire, `broken` for a tool that threw,
   * `refused` for a call that was not run for any other reason.
   */
  readonly reason: string;
  /** What was told. */
  readonly message: string;
  /** The server's code of the error, where it is known. */
  readonly code?: string;
}

/** Anything else worth knowing. */
export interface NoteEvent extends NumberedEvent {
  readonly type: 'note';
  readonly text: string;
  readonly data?: JsonValue;
}

/** The last event. A record without one is of an episode that goes on, or whose recorder was killed. */
export interface EndEvent extends NumberedEvent {
  readonly type: 'end';
  readonly outcome: EpisodeOutcome;
  /** Why it ended, where that is known. */
  readonly stop?: Stop;
  /** Whose fault it is that it did not finish. */
  readonly fault?: Fault;
  readonly ms: number;
  /** How many calls there were. */
  readonly calls: number;
  readonly rewards: RewardSummary;
}

/** The rewards of an episode. All but the count are null if there were none: that is not the same as 0. */
export interface RewardSummary {
  readonly count: number;
  readonly sum: number | null;
  readonly last: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** Why an episode ended. */
export type Stop = (typeof STOPS)[number];

/** Every way in which an agent's episode can stop. */
export const STOPS = [
  'finished',
  'gave_up',
  'max_turns',
  'max_tokens',
  'max_time',
  'context',
  'refused',
  'model_error',
  'model_refused',
  'secrets_missing',
  'env_error',
  'setup_failed',
  'tool_timeout',
  'expired',
  'lost',
  'agent_threw',
  'interrupted',
  'budget',
] as const;

/** Whose fault it is that an episode did not finish. */
export type Fault = (typeof FAULTS)[number];

/** Everybody whose fault it can be. */
export const FAULTS = ['none', 'agent', 'model', 'environment', 'harness', 'runner'] as const;

/** One line of a record. */
export type RecordEvent = EpisodeEvent | PromptEvent | MessageEvent | CallEvent | ResultEvent | NoteEvent | EndEvent;

type New<Event, Added extends PropertyKey = never> = Event extends NumberedEvent
  ? Omit<Event, 'n' | 'at' | Added> & { readonly at?: number }
  : never;

/** An episode to be written; the writer adds the version of the format, and those of tiltyard and Node. */
export type NewEpisode = New<EpisodeEvent, 'v' | 'versions'> & Partial<Pick<EpisodeEvent, 'versions'>>;

/** An end to be written; the writer adds the calls and rewards, and the time since the first event unless given. */
export type NewEnd = New<EndEvent, 'ms' | 'calls' | 'rewards'> & Partial<Pick<EndEvent, 'ms'>>;

/** An event to be written: the writer adds its number, and its time unless given. */
export type NewEvent = NewEpisode | New<Exclude<RecordEvent, EpisodeEvent | EndEvent>> | NewEnd;
