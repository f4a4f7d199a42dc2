import type { ErrorAnswer, StudioRoutes } from '../../src/studio/api.ts';
import { StudioFailure, studioIsAway } from './failure.ts';
import { askSite, site } from './site.ts';

/** A route of the studio's server, and what it answers. */
export type RouteName = keyof StudioRoutes;
export type AnswerOf<Name extends RouteName> = StudioRoutes[Name]['answer'];

/** What a request says beside its route. */
export interface Asked<Name extends RouteName> {
  /** For the `:names` in its path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: StudioRoutes[Name]['query'];
  readonly body?: StudioRoutes[Name]['body'];
  readonly signal?: AbortSignal;
}

/** Asks the studio's server, or the files of an exported site. */
export async function ask<Name extends RouteName>(route: Name, asked: Asked<Name> = {}): Promise<AnswerOf<Name>> {
  if (site !== undefined) return (await askSite(route, asked.path ?? {}, asked.query)) as AnswerOf<Name>;
  const [method = 'GET', pattern = ''] = route.split(' ');
  const url = pathOf(pattern, asked.path ?? {}) + queryOf(asked.query);
  const response = await fetch(url, {
    method,
    ...(method === 'GET'
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked.body ?? {}) }),
    ...(asked.signal === undefined ? {} : { signal: asked.signal }),
  }).catch((thrown: unknown) => {
    throw asked.signal?.aborted === true ? thrown : studioIsAway(thrown);
  });
  const answer: unknown = await response.json().catch((thrown: unknown) => {
    throw studioIsAway(thrown);
  });
  if (!response.ok) throw new StudioFailure((answer as ErrorAnswer).error);
  return answer as AnswerOf<Name>;
}

function pathOf(pattern: string, names: Readonly<Record<string, string>>): string {
  return pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
}

function queryOf(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  if (pairs.length === 0) return '';
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}
