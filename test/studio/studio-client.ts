import { onTestFinished } from 'vitest';
import type { StreamEvent, StudioRoutes } from '../../src/studio/api.ts';
import { type StudioOptions, startStudio } from '../../src/studio/index.ts';
import { type EventSource, openEvents } from '../support/event-source.ts';

/** An answer of the studio. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
}

/** A studio under test, and a page that has entered it. */
export interface TestStudio {
  readonly origin: string;
  readonly token: string;
  readonly cookie: string;
  /** Asks a route of the contract; `params` fill the `:names` of its path. */
  ask<Name extends keyof StudioRoutes>(
    name: Name,
    params?: Readonly<Record<string, string | number>>,
    more?: { readonly query?: object; readonly body?: unknown },
  ): Promise<StudioRoutes[Name]['answer']>;
  /** A request as it is, with the cookie. */
  request(method: string, path: string, init?: RequestInit): Promise<Answer<any>>;
  /** Listens to topics. */
  stream(...topics: string[]): Promise<EventSource<StreamEvent>>;
}

/** Starts a studio on a free port; it is closed when the test ends. */
export async function openStudio(options: StudioOptions = {}): Promise<TestStudio> {
  const studio = await startStudio({ port: 0, ...options });
  onTestFinished(() => studio.close());
  return enterStudio(studio.origin, studio.url.replace(/^.*#token=/, ''));
}

/** Enters a studio that runs already. */
export async function enterStudio(origin: string, token: string): Promise<TestStudio> {
  const entered = await fetch(`${origin}/api/enter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const request: TestStudio['request'] = async (method, path, init = {}) => {
    const response = await fetch(origin + path, { ...init, method, headers: { cookie, ...init.headers } });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  return {
    origin,
    token,
    cookie,
    request,
    async ask(name, params = {}, { query = {}, body } = {}) {
      const [method = '', path = ''] = name.split(' ');
      const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
      const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
      const init =
        method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) } : {};
      const answer = await request(method, search.size === 0 ? filled : `${filled}?${search}`, init);
      if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
    stream: (...topics) => {
      const search = new URLSearchParams(topics.map((topic) => ['topic', topic]));
      return openEvents<StreamEvent>(`${origin}/api/stream?${search}`, { cookie });
    },
  };
}
