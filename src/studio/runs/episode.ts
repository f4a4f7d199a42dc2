import { existsSync } from 'node:fs';
import { type EpisodeLine, recordPath } from '../../rollouts/index.ts';
import type { EpisodeDetail, EventPage } from '../api.ts';
import { notFound } from '../shared/refusal.ts';
import { readEventPage } from './event-page.ts';
import type { RunIndex } from './run-index.ts';

/** One attempt at an episode, with the first of its events; without a number, the last attempt. */
export async function readEpisodeDetail(
  index: RunIndex,
  episode: number,
  { attempt: wanted, how = 'page' }: { readonly attempt?: number | undefined; readonly how?: 'page' | 'all' } = {},
): Promise<EpisodeDetail> {
  const attempts = attemptsOf(index, episode);
  const attempt = wanted ?? attempts.at(-1);
  if (attempt === undefined || !attempts.includes(attempt)) throw noAttempt(episode, wanted);
  const events = await readEventPage(recordPath(index.folder, episode, attempt), 0, how);
  const [first] = events.events;
  const last: EpisodeLine | null = index.lineOf(episode);
  return {
    episode,
    attempt,
    attempts,
    line: last?.attempt === attempt ? last : null,
    head: first?.type === 'episode' ? first : null,
    previous: episode > 0 ? episode - 1 : null,
    next: episode + 1 < index.episodes ? episode + 1 : null,
    events,
  };
}

/** More of its events. */
export async function readEpisodeEvents(
  index: RunIndex,
  episode: number,
  { attempt: wanted, start }: { readonly attempt?: number | undefined; readonly start: number },
): Promise<EventPage> {
  const attempt = wanted ?? attemptsOf(index, episode).at(-1);
  if (attempt === undefined) throw noAttempt(episode, wanted);
  return readEventPage(recordPath(index.folder, episode, attempt), start);
}

function noAttempt(episode: number, attempt: number | undefined): Error {
  return notFound('record of episode', attempt === undefined ? String(episode) : `${episode}, attempt ${attempt}`);
}

const MOST_ATTEMPTS = 1_000;

function attemptsOf({ folder, episodes }: RunIndex, episode: number): number[] {
  if (episode >= episodes) return [];
  const attempts: number[] = [];
  // They are numbered without gaps: a folder of 100,000 records need not be listed.
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    if (!existsSync(recordPath(folder, episode, attempt))) break;
    attempts.push(attempt);
  }
  return attempts;
}
