import type { CodeAtHand } from '../../checking/index.ts';
import { type Client, ClientError, connect, connectOxp, type OxpClient } from '../../client/index.ts';
import { INSTANCE_HEADER, STUDIO_AGENT } from '../../protocol/index.ts';
import type { Problem, Target } from '../api.ts';
import { type ToMessage, toProblem } from '../shared/client-problem.ts';
import { Listeners } from '../shared/listeners.ts';
import { protocolsOf } from './protocols.ts';

/** A server, as the command names it. */
export interface TargetOptions {
  /** As a person named it: a URL, or the path of a module. */
  readonly name: string;
  readonly url: string;
  /** Empty where none shall be sent. */
  readonly apiKey: string | undefined;
  readonly isModule: boolean;
  /** What the lint has of a module beside its server. */
  readonly code?: CodeAtHand | undefined;
  /** What is shown of the message of an exception, which may hold a stack. Default: all of it. */
  readonly toMessage?: ToMessage | undefined;
}

// A person waits: one that is not there shall be told at once, and is looked for again.
const RETRY = { attempts: 2, pauseMs: 100, maxPauseMs: 500 };
const LOOK_MS = 5_000;
const LOOK_FOR_MS = 1_000;
const ANSWER_MS = 60_000;

// What is played, checked and measured is somebody's wish; only what the studio asks to find its way is marked as its own.
const BY_ITSELF = { 'user-agent': STUDIO_AGENT };

type State = Pick<Target, 'status' | 'protocols' | 'make' | 'live' | 'reconnects' | 'since' | 'problem'>;

/** A server that the studio talks to: looked at now and then, and found again after it was away. */
export class TargetLink {
  readonly id: string;
  readonly options: TargetOptions;
  readonly ors: Client;
  readonly oxp: OxpClient;
  readonly changes: Listeners = new Listeners();
  #state: State;
  #instance: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(id: string, options: TargetOptions) {
    this.id = id;
    this.options = options;
    const { url, apiKey } = options;
    const how = { apiKey, retry: RETRY, answerMs: ANSWER_MS, headers: BY_ITSELF };
    this.ors = connect(url, how);
    this.oxp = connectOxp(url, how);
    this.#state = {
      status: 'looking',
      protocols: [],
      make: null,
      live: null,
      reconnects: 0,
      since: Date.now(),
      problem: null,
    };
  }

  toJSON(): Target {
    const { name, url, isModule, apiKey } = this.options;
    return { id: this.id, name, url, isModule, hasKey: Boolean(apiKey), ...this.#state };
  }

  /** The headers of a request that the clients do not make. */
  get headers(): Record<string, string> {
    const { apiKey } = this.options;
    return apiKey ? { 'x-api-key': apiKey, 'oxp-api-key': apiKey } : {};
  }

  /** What must not be shown. */
  get secrets(): Readonly<Record<string, string>> {
    const { apiKey } = this.options;
    // Under a name that no secret of an episode has: both are looked for together.
    return apiKey ? { 'the API key of the server': apiKey } : {};
  }

  /** Looks at the server, and goes on doing so. */
  look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#isClosed) return;
      const pauseMs = this.#state.status === 'up' ? LOOK_MS : LOOK_FOR_MS;
      this.#timer = setTimeout(() => void this.look(), pauseMs).unref();
    });
    return this.#looking;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      const instance = await this.#askInstance();
      const { status, reconnects } = this.#state;
      const isOther = this.#instance !== null && instance !== this.#instance;
      const wasAway = status === 'down' && this.#state.make !== null;
      this.#instance = instance;
      if (status === 'up' && !isOther) return;
      const protocols = await protocolsOf(this, LOOK_MS);
      this.#change({
        status: 'up',
        protocols,
        make: instance === null ? 'foreign' : 'tiltyard',
        live: instance === null ? 'foreign' : await this.#askLive(),
        reconnects: reconnects + Number(isOther || wasAway),
        problem: protocols.length === 0 ? speaksNeither(this.options.url) : null,
      });
    } catch (thrown) {
      this.#change({ status: 'down', problem: toDownProblem(thrown, this.options.url) });
    }
  }

  /** Which instance answers; null from a server of another make. Any answer at all is a sign of life. */
  async #askInstance(): Promise<string | null> {
    const response = await this.#get('/health');
    await response.body?.cancel();
    return response.headers.get(INSTANCE_HEADER);
  }

  async #askLive(): Promise<Target['live']> {
    const { status, body } = await this.#get('/events?session=-');
    await body?.cancel();
    if (status === 200 || status === 429) return 'on';
    return status === 401 || status === 403 ? 'forbidden' : 'off';
  }

  #get(path: string): Promise<Response> {
    return fetch(this.options.url + path, {
      headers: { ...this.headers, ...BY_ITSELF },
      // Followed, a redirect to another host would take the key along.
      redirect: 'manual',
      signal: AbortSignal.timeout(LOOK_MS),
    });
  }

  #change(change: Partial<State>): void {
    const before = this.#state;
    const isNew = change.status !== undefined && change.status !== before.status;
    this.#state = { ...before, ...change, since: isNew ? Date.now() : before.since };
    if (JSON.stringify(before) !== JSON.stringify(this.#state)) this.changes.tell();
  }
}

function speaksNeither(url: string): Problem {
  return {
    kind: 'server',
    code: 'no_protocol',
    message: `${url} is neither an ORS server (no /list_environments) nor an OXP server (no list at /tools)`,
    advice: 'Check the URL, including any path prefix.',
    status: null,
  };
}

function toDownProblem(thrown: unknown, url: string): Problem {
  if (thrown instanceof ClientError) return toProblem(thrown);
  // Not the client's: fetch itself, which hides why in its cause.
  const { cause, message } = thrown as Error & { readonly cause?: { readonly code?: string } };
  const code = cause?.code ?? null;
  const words = code === 'ECONNREFUSED' ? `nothing is listening at ${url}` : `${url} does not answer: ${message}`;
  return {
    kind: 'server',
    code,
    message: words,
    advice: 'Start the server, or check its address. The studio goes on looking for it.',
    status: null,
  };
}
