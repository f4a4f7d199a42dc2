import { SECRETS_HEADER, SESSION_HEADER, toSecretsHeader } from '../../../protocol/index.ts';
import { isProblem } from '../load/connection.ts';
import type { Lane } from '../load/drive.ts';
import { type Endpoint, toRequest } from '../load/endpoint.ts';
import type { HttpResponse } from '../load/http-response.ts';
import type { LoadProblem } from '../load/problem.ts';
import { toSessionProblem, toStatusProblem } from './answers.ts';
import { type CallOutcome, checkCall, toSid } from './ors-answer.ts';

/** Which episode to play, and the call that it consists of. */
export interface OrsWork {
  readonly endpoint: Endpoint;
  readonly environment: string;
  readonly split: string;
  /** Gives the index of the next episode. */
  readonly nextIndex: () => number;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Sent when an episode begins. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** One episode on one connection, request by request. */
export class OrsEpisode {
  readonly #work: OrsWork;
  readonly #lane: Lane;
  #sid: string | undefined;
  #call: Buffer | undefined;

  constructor(work: OrsWork, lane: Lane) {
    this.#work = work;
    this.#lane = lane;
  }

  /** Asks for a session and begins the episode in it. */
  async begin(): Promise<LoadProblem | undefined> {
    const { endpoint, environment, tool, input } = this.#work;
    const issued = await this.#ask(
      toRequest(endpoint, { method: 'POST', path: '/create_session', headers: { Accept: 'application/json' } }),
    );
    if ('kind' in issued) return issued;
    const sid = toSid(issued.body);
    if (sid === undefined || !/^[\x21-\x7e]+$/.test(sid))
      return { kind: 'malformed', detail: 'the answer to POST /create_session has no session id' };
    this.#sid = sid;
    const created = await this.#create(sid);
    if ('kind' in created) return created;
    this.#call = toRequest(endpoint, {
      method: 'POST',
      path: `/${encodeURIComponent(environment)}/call`,
      headers: { [SESSION_HEADER]: sid, Accept: 'text/event-stream' },
      body: JSON.stringify({ name: tool, input }),
    });
    return undefined;
  }

  /** Reads the prompt, which is there when setup has ended, or the tools. */
  async read(what: 'prompt' | 'task_tools'): Promise<LoadProblem | undefined> {
    const { endpoint, environment } = this.#work;
    const path = `/${encodeURIComponent(environment)}/${what}`;
    const answer = await this.#ask(
      toRequest(endpoint, { method: 'GET', path, headers: { [SESSION_HEADER]: this.#sid ?? '' } }),
    );
    return 'kind' in answer ? answer : undefined;
  }

  async call(): Promise<CallOutcome> {
    if (this.#call === undefined) throw new Error('the episode has not begun');
    const exchange = await this.#lane.connection.exchange(this.#call);
    return isProblem(exchange) ? exchange : checkCall(exchange);
  }

  /** Ends the session, if there is one. */
  async end(): Promise<LoadProblem | undefined> {
    if (this.#sid === undefined) return undefined;
    const { endpoint } = this.#work;
    const request = toRequest(endpoint, { method: 'POST', path: '/delete', headers: { [SESSION_HEADER]: this.#sid } });
    this.#sid = undefined;
    const answer = await this.#ask(request);
    return 'kind' in answer ? answer : undefined;
  }

  async #create(sid: string): Promise<HttpResponse | LoadProblem> {
    const { endpoint, environment, split, nextIndex, secrets } = this.#work;
    const hasSecrets = Object.keys(secrets).length > 0;
    const headers = { [SESSION_HEADER]: sid, ...(hasSecrets ? { [SECRETS_HEADER]: toSecretsHeader(secrets) } : {}) };
    const index = nextIndex();
    const send = (more: object) => {
      const body = JSON.stringify({ env_name: environment, split, index, ...more });
      return this.#ask(toRequest(endpoint, { method: 'POST', path: '/create', headers, body }));
    };
    if (!hasSecrets) return send({});
    const created = await send({ secrets });
    const isRefused = 'kind' in created && created.kind === 'status 422' && created.detail.includes('secrets');
    // One official server takes secrets from the body alone, the other refuses them there.
    return isRefused ? send({}) : created;
  }

  async #ask(request: Buffer): Promise<HttpResponse | LoadProblem> {
    const exchange = await this.#lane.connection.exchange(request);
    if (isProblem(exchange) || (exchange.status >= 200 && exchange.status < 300)) return exchange;
    return this.#sid === undefined ? toStatusProblem(exchange) : toSessionProblem(exchange);
  }
}
