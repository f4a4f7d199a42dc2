import {
  AuthError,
  ClientError,
  HttpError,
  MaxRetries,
  NetworkError,
  OutcomeUnknown,
  OxpServerError,
  OxpToolError,
  OxpValidationError,
  SessionTerminated,
  ToolCallError,
  ToolFailed,
} from '../../client/index.ts';
import type { Problem, ProblemKind } from '../api.ts';
import { Refusal } from './refusal.ts';

/** What is shown of the message of an exception, which may hold a stack. */
export type ToMessage = (message: string) => string;

/** What was thrown, as the page shows it. */
export function toProblem(thrown: unknown, toMessage: ToMessage = (message) => message): Problem {
  if (thrown instanceof Refusal) return thrown.toProblem();
  if (!(thrown instanceof ClientError)) return unexpected(thrown);
  const error = thrown instanceof MaxRetries ? (thrown.errors.at(-1) ?? thrown) : thrown;
  const known = error instanceof ClientError ? error : thrown;
  const kind = kindOf(known);
  const whole = messageOf(known);
  // Only there can a stack be: what looks like one elsewhere was written for the model.
  const message = kind === 'environment' ? toMessage(whole) : whole;
  return {
    kind,
    code: known.code ?? null,
    message,
    ...(message === whole ? {} : { whole }),
    advice: adviceFor(known, kind),
    status: known.status ?? null,
  };
}

// A mistake of ours, or a file that cannot be read.
function unexpected(thrown: unknown): Problem {
  const { message, code } =
    thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : (new Error(String(thrown)) as NodeJS.ErrnoException);
  return { kind: 'request', code: code ?? 'studio_failed', message, advice: null, status: null };
}

// The wire has no code for these.
const REFUSALS: ReadonlySet<string> = new Set(['not_found', 'input_validation', 'episode_finished', 'bad_input_shape']);

function kindOf(error: ClientError): ProblemKind {
  if (error instanceof ToolCallError) {
    if (error.reason === 'timeout') return 'environment';
    return REFUSALS.has(error.reason) ? 'refused' : 'tool';
  }
  if (error instanceof OxpToolError) return error.outcome === 'tool_error' ? 'tool' : 'environment';
  if (error instanceof OxpValidationError) return 'refused';
  if (error instanceof ToolFailed) return 'environment';
  if (error instanceof SessionTerminated) return 'session';
  if (error instanceof AuthError || error.status === 401 || error.status === 403) return 'auth';
  if (error.code === 'setup_failed') return 'environment';
  if (error instanceof OutcomeUnknown || error instanceof NetworkError) return 'server';
  if (error instanceof OxpServerError || error instanceof HttpError)
    return error.status === 500 ? 'environment' : 'refused';
  return 'server';
}

function adviceFor(error: ClientError, kind: ProblemKind): string | null {
  if (error instanceof ToolCallError && error.reason === 'input_validation')
    return 'The input does not fit the schema of the tool. Mend it and send it again.';
  if (error instanceof ToolCallError && error.reason === 'not_found')
    return 'This episode has no tool of that name. Choose one of the list.';
  if (error instanceof ToolCallError && error.reason === 'episode_finished')
    return 'The episode has finished. Go back to a step and play on from there.';
  if (error instanceof ToolCallError && error.reason === 'timeout')
    return 'The tool took longer than its limit. Look for what it waits for, or raise its timeoutMs.';
  if (error.code === 'setup_failed')
    return 'The setup of the episode failed. If the environment needs a secret, add it and start again.';
  if (error.code === 'missing_secrets') return 'Enter what is missing, and start again.';
  if (error instanceof OxpServerError && error.missingRequirements !== undefined)
    return `The tool needs something that was not sent: ${missingIn(error)}.`;
  return ADVICE[kind];
}

const ADVICE: Readonly<Record<ProblemKind, string | null>> = {
  refused: null,
  tool: 'The tool reported this failure on purpose: a model would read it and could go on.',
  environment: "The environment's own code failed. Its server's log has the stack.",
  session: 'The session is over on its server. Play it again: the same calls are made in a new session.',
  auth: 'Give the studio a key that the server accepts: set TILTYARD_API_KEY, or add the server again with its key.',
  server: 'Check that the server runs, and its address. The studio goes on looking for it.',
  cancelled: null,
  request: null,
};

function missingIn({ missingRequirements }: OxpServerError): string {
  const { secrets = [], authorization = [], userId = false } = missingRequirements ?? {};
  const parts = [
    ...secrets.map((id) => `the secret ${id}`),
    ...authorization.map(({ id }) => `an authorization for ${id}`),
    ...(userId ? ['a user id'] : []),
  ];
  return parts.join(', ');
}

function messageOf(error: ClientError): string {
  if (error instanceof OxpValidationError) {
    const details = Object.entries(error.parameterErrors).map(([name, problem]) => `${name}: ${problem}`);
    return [error.message, ...details].join('\n');
  }
  if (error instanceof OxpToolError || error instanceof OxpServerError) {
    const more = 'additionalPromptContent' in error ? error.additionalPromptContent : undefined;
    return [error.message, error.developerMessage, more].filter((each) => each !== undefined).join('\n');
  }
  return error instanceof HttpError ? error.detail : error.message;
}
