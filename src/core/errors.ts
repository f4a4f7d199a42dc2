import { type CallOutcome, cutText, outcomeOfCode } from '../protocol/index.ts';
import { brand } from './brand.ts';
import { describe } from './content.ts';

/** Every way something of ours can fail; each protocol maps a code to a status of its own. */
export type ErrorCode =
  | 'bad_request'
  | 'unsupported_media_type'
  | 'invalid_definition'
  | 'unauthorized'
  | 'forbidden'
  | 'host_not_allowed'
  | 'origin_not_allowed'
  | 'unknown_environment'
  | 'environment_mismatch'
  | 'unknown_split'
  | 'bad_index'
  | 'not_listable'
  | 'too_many_tasks'
  | 'invalid_task'
  | 'missing_secrets'
  | 'unknown_toolset'
  | 'other_instance'
  | 'session_exists'
  | 'session_not_found'
  | 'session_gone'
  | 'session_expired'
  | 'session_lost'
  | 'too_many_sessions'
  | 'too_many_calls'
  | 'memory_used'
  | 'memory_share_used'
  | 'shutting_down'
  | 'no_worker'
  | 'journal_unavailable'
  | 'setup_failed'
  | 'task_changed'
  | 'restore_failed'
  | 'diverged'
  | 'outcome_unknown'
  | 'unknown_task_id'
  | 'task_id_reused'
  | 'unknown_tool'
  | 'invalid_input'
  | 'episode_finished'
  | 'call_cancelled'
  | 'tool_failed'
  | 'call_id_reused'
  | 'result_not_kept'
  | 'missing_requirements'
  | 'environment_failed';

/** The base of all errors of ours: a code from one table, a message for people, and the cause where there is one. */
export class TiltyardError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TiltyardError';
    this.code = code;
  }
}

/** How a call ended that has an error instead of a result; errors that are neither the environment's nor the session's are the request's. */
export function toOutcome({ code }: { readonly code: ErrorCode }): Exclude<CallOutcome, 'returned'> {
  return outcomeOfCode(code) ?? 'tool_error';
}

/** A mistake in an environment, tool or toolkit, found when it is defined or when the server starts. */
export class DefinitionError extends TiltyardError {
  constructor(message: string, options?: ErrorOptions) {
    super('invalid_definition', message, options);
    this.name = 'DefinitionError';
  }
}

/** What a tool may add to a failure it reports on purpose. */
export interface ToolErrorOptions extends ErrorOptions {
  /** For logs and developers; never shown to the model. */
  developerMessage?: string;
  /** Whether the same call may succeed later. */
  canRetry?: boolean;
  /** How long to wait before that. */
  retryAfterMs?: number;
  /** Further text that helps the model to call again, such as valid values. */
  promptContent?: string;
}

/** Thrown by a tool for a failure that the model should read and recover from; the episode goes on. */
export class ToolError extends Error {
  readonly developerMessage: string | undefined;
  readonly canRetry: boolean | undefined;
  readonly retryAfterMs: number | undefined;
  readonly promptContent: string | undefined;

  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options);
    this.name = 'ToolError';
    this.developerMessage = options.developerMessage;
    this.canRetry = options.canRetry;
    this.retryAfterMs = options.retryAfterMs;
    this.promptContent = options.promptContent;
  }
}

/** Whether a tool threw on purpose, for the model to read. */
export const isToolError: (thrown: unknown) => thrown is ToolError = brand(ToolError, 'tool-error');

/** Thrown by `setup` to fail the episode with a status and text of the author's choice: the client sees both. */
export class SetupError extends Error {
  readonly status: number;

  constructor(message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.name = 'SetupError';
    this.status = options.status ?? 400;
    if (!Number.isInteger(this.status) || this.status < 400 || this.status > 499) {
      throw new RangeError(`a SetupError needs a status from 400 to 499, not ${options.status}`);
    }
  }
}

const isSetupError = brand(SetupError, 'setup-error');

/** What an author's code threw, as plain text that is safe to log and to send. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** What can come of an author's code that throws. */
export type AuthorsErrorCode = Extract<ErrorCode, 'setup_failed' | 'restore_failed' | 'environment_failed'>;

/** An author's code threw: `message` says where, `thrown` what; how much of it a client sees is the server's choice. */
export class EnvironmentError extends TiltyardError {
  readonly thrown: Thrown;
  /** A 4xx that the author chose with a SetupError. */
  readonly status: number | undefined;
  /** Whether it stands in the log already, with the episode it belongs to. */
  readonly logged: boolean;

  constructor(
    code: AuthorsErrorCode,
    message: string,
    {
      thrown,
      clean = (text) => text,
      logged = false,
      status = isSetupError(thrown) ? thrown.status : undefined,
    }: {
      thrown: unknown;
      logged?: boolean;
      status?: number | undefined;
      /** Takes the episode's secrets out of a text. */
      clean?: (text: string) => string;
    },
  ) {
    super(code, message);
    this.name = 'EnvironmentError';
    this.thrown = toThrown(thrown, clean);
    // Not what was thrown itself: that may hold a whole request, and this error is kept as long as a result.
    this.cause = Object.assign(new Error(this.thrown.message), this.thrown);
    this.logged = logged;
    this.status = status;
  }
}

/** What was thrown as plain text; `clean` takes secrets out of it. */
export function toThrown(thrown: unknown, clean: (text: string) => string): Thrown {
  try {
    const { name, message, stack } = toError(thrown);
    // Cut last: half a secret would not be found.
    const read = (text: unknown) => cutText(clean(toText(text)), MAX_THROWN_CHARACTERS);
    return { name: read(name), message: read(message), stack: read(stack ?? '') };
  } catch {
    return { name: 'Error', message: UNREADABLE, stack: '' };
  }
}

/** A caught value as an Error, since anything can be thrown; never throws itself. */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
    return new Error(typeof thrown === 'string' ? thrown : `thrown: ${toText(thrown)}`);
  } catch {
    return new Error(UNREADABLE);
  }
}

// Longer than any that a person reads. Errors are kept, like results, and some quote a whole input.
const MAX_THROWN_CHARACTERS = 16_384;

// Of a getter or a proxy of the author's own.
const UNREADABLE = 'the thrown value cannot be read';

/** A field of an author's error as text, whatever it holds. Not String(): it throws for what has no prototype. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : describe(value);
}
