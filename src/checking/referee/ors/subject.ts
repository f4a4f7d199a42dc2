import { isObject, type JsonObject } from '../../../protocol/index.ts';
import type { ForeignSchemas } from '../../foreign/foreign-schemas.ts';
import { parsed } from '../json.ts';
import { need } from '../probe.ts';
import { type Answer, Recorder, type RecorderOptions } from '../recorder.ts';
import { Sessions } from './open-sessions.ts';
import { Calls } from './sampled-calls.ts';

/** What is known about a server before it is probed; wrong answers leave gaps, which the probes of discovery tell of. */
export interface OrsSubject {
  readonly environments: readonly string[];
  /** The environment that most probes use: the first one with a task. */
  readonly environment: string;
  /** Where its actions are: `/math`. */
  readonly base: string;
  readonly splits: readonly string[];
  /** A split with tasks. */
  readonly split: { readonly name: string; readonly count: number } | undefined;
  /** Bare paths that belong to another protocol. */
  readonly taken: readonly string[];
  /** The names of the headers that carry the caller's key; empty if there is none. */
  readonly keyHeaders: readonly string[];
  /** Whether the server is on this machine, where names of hosts make no difference. */
  readonly isLocal: boolean;
  readonly sessions: Sessions;
  readonly calls: Calls;
  /** Evaluates the schemas of its tools. */
  readonly schemas: ForeignSchemas;
}

/** How the subject is found. */
export interface SubjectOptions {
  readonly http: RecorderOptions;
  readonly schemas: ForeignSchemas;
  readonly setupMs: number;
  readonly secrets: Readonly<Record<string, string>>;
  readonly taken: readonly string[];
}

/** Looks at what a server has. */
export async function findSubject(given: SubjectOptions): Promise<OrsSubject> {
  const { http: options, schemas, setupMs, secrets, taken } = given;
  const http = new Recorder(options);
  const environments = stringsIn(await jsonFrom(http.ask({ method: 'GET', path: '/list_environments' })));
  const { environment, splits, split } = await firstWithTasks(http, environments);
  const body: JsonObject | undefined =
    split === undefined ? undefined : { env_name: environment, split: split.name, index: 0 };
  const sessions = new Sessions({ http: options, environment, body, secrets, setupMs });
  const subject: OrsSubject = {
    environments,
    get environment() {
      need(environments.length > 0, 'no environment is listed; see D2');
      return environment;
    },
    get base() {
      return baseOf(subject.environment);
    },
    splits,
    split,
    taken,
    keyHeaders: Object.keys(options.headers),
    isLocal: /^(localhost|127\.|\[::1\])/.test(new URL(options.url).host),
    sessions,
    calls: new Calls({ sessions, schemas, base: baseOf(environment), timeoutMs: options.timeoutMs }),
    schemas,
  };
  return subject;
}

/** Where the actions on an environment are. */
export function baseOf(environment: string): string {
  return `/${encodeURIComponent(environment)}`;
}

type Found = Pick<OrsSubject, 'environment' | 'splits' | 'split'>;

async function firstWithTasks(http: Recorder, environments: readonly string[]): Promise<Found> {
  let first: Found | undefined;
  for (const environment of environments) {
    const found = await lookAt(http, environment);
    if (found.split !== undefined) return found;
    first ??= found;
  }
  return first ?? { environment: '', splits: [], split: undefined };
}

async function lookAt(http: Recorder, environment: string): Promise<Found> {
  const base = baseOf(environment);
  const listed = await jsonFrom(http.ask({ method: 'GET', path: `${base}/splits` }));
  const splits = stringsIn((Array.isArray(listed) ? listed : []).map((split) => isObject(split) && split.name));
  for (const name of splits) {
    const body = await jsonFrom(http.ask({ method: 'POST', path: `${base}/num_tasks`, body: { split: name } }));
    const count = isObject(body) && Number.isInteger(body.num_tasks) ? (body.num_tasks as number) : 0;
    if (count > 0) return { environment, splits, split: { name, count } };
  }
  return { environment, splits, split: undefined };
}

// No answer is a gap like a wrong one.
async function jsonFrom(asked: Promise<Answer>): Promise<unknown> {
  return asked.then(
    ({ text }) => parsed(text),
    () => undefined,
  );
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
