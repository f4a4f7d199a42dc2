import { setTimeout as wait } from 'node:timers/promises';
import type { Fetch } from '../../client/index.ts';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import { withUsage } from './estimate-usage.ts';
import { Gate, type LoadListener } from './gate.ts';
import { ModelFailure, toFailure } from './model-failure.ts';
import { keyFor, type ModelAddress } from './model-name.ts';
import { readBody } from './read-body.ts';
import { OddModelAnswer } from './reading.ts';
import type { ModelRequest, ReadAnswer } from './wire.ts';

/** What a person says of a model beside its name. */
export interface ModelOptions {
  /** Sent with every request, as the API calls them: temperature and the like. */
  readonly parameters?: JsonObject | undefined;
  /** What the model is told before the prompt. */
  readonly system?: string | undefined;
}

/** Who takes part in a request. */
export interface Asking {
  readonly signal: AbortSignal;
  /** Hears of each attempt that failed and is repeated. */
  readonly onRetry: (failure: ModelFailure) => void;
  /** Hears why the request has to wait, or was sent once more. */
  readonly onHeldUp: (why: string) => void;
}

// A request to a model changes nothing, so it can be repeated: an episode is not thrown away for one hiccup.
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;

// Some models think for long, and nothing comes until they have done so.
const ANSWER_MS = 60 * 60_000;

/** A model that can be asked. All episodes of a run share it. */
export class Model {
  readonly address: ModelAddress;
  readonly options: ModelOptions;
  readonly #key: string;
  readonly #gate: Gate;
  readonly #fetch: Fetch;

  constructor(address: ModelAddress, options: ModelOptions, listener: LoadListener, fetch: Fetch) {
    this.address = address;
    this.options = options;
    this.#fetch = fetch;
    this.#key = keyFor(address, process.env);
    this.#gate = new Gate(listener);
  }

  /** The key, so that it can be kept out of files; none if it is empty. */
  get secrets(): Readonly<Record<string, string>> {
    // No secret of an episode has such a name, which would take its place.
    return this.#key === '' ? {} : { "the model's key": this.#key };
  }

  /** Asks, waits when the provider asks for it, and repeats what may pass by itself. */
  async ask(
    request: Pick<ModelRequest, 'messages' | 'tools' | 'maxTokens'>,
    { signal, onRetry, onHeldUp }: Asking,
  ): Promise<ReadAnswer> {
    const { wire, name, isOwnServer } = this.address;
    const { parameters = {}, system } = this.options;
    const body = JSON.stringify(wire.body({ ...request, model: name, isOwnServer, parameters, system }));
    for (let attempt = 1; ; attempt += 1) {
      if (this.#gate.isClosed) onHeldUp("the model's server asked for a pause");
      const sentAt = await this.#gate.pass(signal);
      try {
        const answer = await this.#send(body, signal);
        this.#gate.answered(sentAt);
        return answer;
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        if (!(thrown instanceof ModelFailure)) throw thrown;
        if (thrown.status === 429) this.#gate.limited(sentAt, thrown.retryAfterMs);
        else if (thrown.stop === 'model_error') this.#gate.troubled();
        if (!thrown.mayPass || attempt >= ATTEMPTS) throw thrown;
        onRetry(thrown);
        onHeldUp(thrown.message);
        // The gate itself waits after 429.
        if (thrown.status !== 429) await wait(pauseBefore(attempt, thrown), undefined, { signal });
      }
    }
  }

  async #send(body: string, signal: AbortSignal): Promise<ReadAnswer> {
    const { wire, baseUrl, name } = this.address;
    const headers = { 'content-type': 'application/json', ...wire.headers(this.#key) };
    const {
      ok,
      status,
      headers: answered,
      text,
    } = await this.#post(`${baseUrl}${wire.path(name)}`, { headers: new Headers(headers), body, signal });
    if (!ok) throw toFailure(status, text, answered);
    return withUsage(read(text, wire.read), body);
  }

  async #post(url: string, init: { headers: Headers; body: string; signal: AbortSignal }): Promise<Posted> {
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(ANSWER_MS)]);
    try {
      const response = await this.#fetch(url, { method: 'POST', ...init, signal });
      const { ok, status, headers } = response;
      return { ok, status, headers, text: await readBody(response) };
    } catch (cause) {
      if (init.signal.aborted) throw init.signal.reason;
      if (cause instanceof ModelFailure) throw cause;
      const why =
        cause instanceof Error ? ((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause);
      throw new ModelFailure('model_error', `the request to ${new URL(url).host} failed: ${why}`, { cause });
    }
  }
}

function pauseBefore(attempt: number, { retryAfterMs = 0 }: ModelFailure): number {
  return Math.max(retryAfterMs, FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
}

interface Posted {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly text: string;
}

function read(text: string, reader: (answer: JsonObject) => ReadAnswer): ReadAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new ModelFailure('model_error', `the model's server sent an answer that is not JSON: ${text.slice(0, 200)}`, {
      cause,
    });
  }
  if (!isObject(answer)) throw new ModelFailure('model_error', `the model's server sent ${text.slice(0, 200)}`);
  // Some servers answer 200, and tell of the failure inside.
  if (isObject(answer.error)) throw toFailure(Number(answer.error.code) || 500, text, new Headers());
  try {
    return reader(answer as JsonObject);
  } catch (cause) {
    if (!(cause instanceof OddModelAnswer)) throw cause;
    throw new ModelFailure('model_error', cause.message, { cause });
  }
}
