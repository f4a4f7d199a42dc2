import {
  ClientError,
  HttpError,
  MaxRetries,
  NetworkError,
  OutcomeUnknown,
  SessionTerminated,
  TimedOut,
  ToolCallError,
} from '../../client/index.ts';
import type { Stop } from '../../records/index.ts';

/** Ends an attempt: thrown inside it, and told to nobody else. */
export class Halt extends Error {
  override readonly name = 'Halt';
  readonly stop: Stop;

  constructor(stop: Stop, detail: string, options: ErrorOptions = {}) {
    super(detail, options);
    this.stop = stop;
  }
}

/** What the environment's server did to an attempt, as the stop that it is. */
export function toEnvironmentHalt(thrown: unknown): Halt {
  if (thrown instanceof Halt) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new Halt(stopOf(thrown), detail, { cause: thrown });
}

function stopOf(thrown: unknown): Stop {
  if (!(thrown instanceof ClientError)) return 'env_error';
  if (thrown.code === 'setup_failed') return 'setup_failed';
  if (thrown.code === 'missing_secrets') return 'secrets_missing';
  if (thrown.outcome === 'expired') return 'expired';
  if (thrown instanceof ToolCallError && thrown.reason === 'timeout') return 'tool_timeout';
  if (thrown instanceof SessionTerminated || isUnheard(thrown)) return 'lost';
  return thrown.outcome === 'timeout' ? 'tool_timeout' : 'env_error';
}

// Nobody can say how the call or the episode ended.
function isUnheard(thrown: ClientError): boolean {
  if (thrown instanceof MaxRetries) return thrown.outcome === undefined || thrown.outcome === 'cancelled';
  if (thrown instanceof HttpError)
    return thrown.outcome === 'cancelled' || [429, 502, 503, 504].includes(thrown.status ?? 0);
  return thrown instanceof NetworkError || thrown instanceof OutcomeUnknown || thrown instanceof TimedOut;
}
