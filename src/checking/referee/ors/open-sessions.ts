import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, SECRETS_HEADER, SESSION_HEADER, toSecretsHeader } from '../../../protocol/index.ts';
import { parsed } from '../json.ts';
import { NotApplicable, need } from '../probe.ts';
import { type Answer, type Ask, Recorder, type RecorderOptions } from '../recorder.ts';
import { detailOf } from './answers.ts';
import { dataOf, isEventStream, resultText, toEventStream } from './event-stream.ts';

/** A session that ends with its block. */
export interface OpenSession extends AsyncDisposable {
  readonly sid: string;
}

/** How sessions are opened. */
export interface SessionsOptions {
  readonly http: RecorderOptions;
  readonly environment: string;
  /** The body of /create; undefined if no task is known. */
  readonly body: JsonObject | undefined;
  /** Sent with every /create that has none of its own. */
  readonly secrets: Readonly<Record<string, string>>;
  /** How long a setup may take. */
  readonly setupMs: number;
}

const CLOSING_MS = 10_000;
const POLL_MS = 500;

/** The sessions that a check opens: whatever happens, none is left behind. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #live = new Set<string>();
  #standing: Promise<string> | undefined;
  #secretsInBody = true;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The body of a good /create. */
  get body(): JsonObject {
    const { body } = this.#options;
    need(body !== undefined, 'no split has a task to open a session with');
    return body;
  }

  /** An id for a session; it is cleaned up in the end, whatever is done with it. */
  async newSid(http: Recorder): Promise<string> {
    const sid = sidIn(await http.ask({ method: 'POST', path: '/create_session' })) ?? randomUUID();
    this.#live.add(sid);
    return sid;
  }

  /** Sends /create for a session, which is cleaned up in the end. */
  async create(http: Recorder, sid: string, body: unknown = this.body): Promise<Answer> {
    this.#live.add(sid);
    const request = { method: 'POST', path: '/create', headers: { [SESSION_HEADER]: sid }, body };
    if (!isObject(body)) return needSecrets(await http.ask(request));
    const answer = await http.ask({ ...request, unrecorded: this.#withSecrets(body) });
    const isOwn = !this.#secretsInBody || 'secrets' in body;
    if (isOwn || answer.status !== 422 || !answer.text.includes('secrets')) return needSecrets(answer);
    // One official server takes secrets from the body alone, the other refuses them there.
    this.#secretsInBody = false;
    return needSecrets(await http.ask({ ...request, unrecorded: this.#withSecrets(body) }));
  }

  /** Sends a good /create whose secrets are in the header alone. */
  async createWithHeader(http: Recorder, sid: string, secrets: Readonly<Record<string, string>>): Promise<Answer> {
    const headers = { [SECRETS_HEADER]: toSecretsHeader({ ...this.#options.secrets, ...secrets }) };
    const request = { method: 'POST', path: '/create', headers: { [SESSION_HEADER]: sid }, body: this.body };
    return needSecrets(await http.ask({ ...request, unrecorded: { headers, body: {} } }));
  }

  /** A new session; its setup may still run. */
  async open(http: Recorder, body: unknown = this.body): Promise<OpenSession> {
    const sid = await this.newSid(http);
    const answer = await this.create(http, sid, body);
    need(answer.status === 200, `no session could be opened: ${detailOf(answer)}`);
    return { sid, [Symbol.asyncDispose]: () => this.#close(sid) };
  }

  /** A new session whose setup is over. */
  async openReady(http: Recorder, body: unknown = this.body): Promise<OpenSession> {
    const session = await this.open(http, body);
    await this.#untilReady(http, session.sid);
    return session;
  }

  /** The session that probes share which leave it as it is; its setup is over. */
  standing(http: Recorder): Promise<string> {
    // Kept also if it failed: a setup that fails would do so for each probe anew.
    this.#standing ??= this.openReady(http).then(({ sid }) => sid);
    return this.#standing;
  }

  /** Gives the shared session up, because its episode is over; the next probe gets another. */
  retire(): void {
    this.#standing = undefined;
  }

  /** Deletes what is left, also after an interruption. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#live].map((sid) => this.#close(sid)));
  }

  /** The given secrets, beside those that a probe sends itself. */
  #withSecrets({ secrets: own = {} }: Readonly<Record<string, unknown>>): NonNullable<Ask['unrecorded']> {
    const { secrets } = this.#options;
    if (Object.keys(secrets).length === 0) return { headers: {}, body: {} };
    const isMerged = this.#secretsInBody && isObject(own);
    return {
      headers: { [SECRETS_HEADER]: toSecretsHeader(secrets) },
      body: isMerged ? { secrets: { ...secrets, ...own } } : {},
    };
  }

  async #close(sid: string): Promise<void> {
    const http = new Recorder({ ...this.#options.http, signal: AbortSignal.timeout(CLOSING_MS) });
    const headers = { [SESSION_HEADER]: sid };
    // Failures are no finding here: the probes of /delete tell what is wrong with it.
    await Promise.allSettled([http.ask({ method: 'POST', path: '/delete', headers })]);
    this.#live.delete(sid);
  }

  async #untilReady(http: Recorder, sid: string): Promise<void> {
    const { environment, setupMs } = this.#options;
    const end = Date.now() + setupMs;
    const path = `/${encodeURIComponent(environment)}/task_tools`;
    for (;;) {
      const timeoutMs = Math.max(1, end - Date.now());
      const answer = await http
        .ask({ method: 'GET', path, headers: { [SESSION_HEADER]: sid }, timeoutMs })
        .catch(() => {
          throw new NotApplicable(`setup was not over after ${setupMs / 1000} s`);
        });
      // Some servers answer so while setup runs, rather than let the client wait.
      if (answer.status !== 503 || Date.now() + POLL_MS > end) {
        need(!isSetupFailure(answer), `setup failed: ${detailOf(answer)}`);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

/** Skips the probe if secrets are missing: it is for the user to give them, and no fault of the server. */
function needSecrets(answer: Answer): Answer {
  const body = parsed(answer.text);
  const isMissing = answer.status === 400 && isObject(body) && body.code === 'missing_secrets';
  need(!isMissing, `no session could be opened: ${detailOf(answer)}`);
  return answer;
}

// An author may give a failed setup any status from 400 to 499; our own server then says what it is.
function isSetupFailure({ status, text }: Answer): boolean {
  const body = parsed(text);
  return status >= 500 || (status >= 400 && isObject(body) && body.code === 'setup_failed');
}

/** The id in an answer of /create_session, which is JSON or, from the official servers, events. */
export function sidIn(answer: Answer): string | undefined {
  const stream = isEventStream(answer) ? toEventStream(answer.text) : undefined;
  const body = parsed(stream === undefined ? answer.text : (resultText(stream) ?? ''));
  const sid = isObject(body) ? body.sid : undefined;
  if (typeof sid === 'string') return sid;
  return stream === undefined ? undefined : dataOf(stream, 'task_id');
}
