import type { EnvironmentClient, EpisodeChoice, Session, SessionRequest } from '../../client/index.ts';
import { Halt } from '../outcome/halt.ts';
import { toDelay } from '../schedule/timer.ts';
import type { EpisodeLimits } from './limits.ts';

/** What can end an attempt early. */
export interface AttemptBounds {
  /** Fires when the run stops. */
  readonly signal: AbortSignal;
  readonly limits: Pick<EpisodeLimits, 'timeoutMs'>;
}

/** One signal for the end of the run and the end of the episode's time. */
export class AttemptEnd implements Disposable {
  readonly #controller = new AbortController();
  readonly #run: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor({ signal, limits: { timeoutMs } }: AttemptBounds) {
    this.#run = signal;
    if (signal.aborted) this.#onStop();
    else signal.addEventListener('abort', this.#onStop);
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.#onLate(timeoutMs), toDelay(timeoutMs));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#run.removeEventListener('abort', this.#onStop);
  }

  #onLate(timeoutMs: number): void {
    this.#controller.abort(new Halt('max_time', `the episode took longer than ${timeoutMs} ms`));
  }

  readonly #onStop = (): void => this.#controller.abort(this.#run.reason);
}

// A server that does not answer any more must not hold up the run.
const OPENING_GRACE_MS = 2_000;
const CLOSING_MS = 30_000;
const HURRIED_CLOSING_MS = 5_000;

/**
 * Begins the session of an attempt. When the attempt ends meanwhile, the server has a little longer to answer: a session that was begun is
 * closed in order, while of one that is given up nobody hears whether it was deleted.
 */
export async function openSession(
  environment: EnvironmentClient,
  request: EpisodeChoice<unknown> & Pick<SessionRequest<unknown>, 'secrets'>,
  end: AbortSignal,
): Promise<Session> {
  end.throwIfAborted();
  const patience = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onEnd = () => {
    timer = setTimeout(() => patience.abort(end.reason), OPENING_GRACE_MS);
  };
  end.addEventListener('abort', onEnd);
  try {
    return await environment.session({ ...request, signal: patience.signal });
  } finally {
    end.removeEventListener('abort', onEnd);
    clearTimeout(timer);
  }
}

/** Ends the session of an attempt, in less time if the attempt was cut short. */
export function closeSession(session: Session, end: AbortSignal): Promise<void> {
  return session.close({ timeoutMs: end.aborted ? HURRIED_CLOSING_MS : CLOSING_MS });
}
