import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RecordEvent, readRecord } from 'tiltyard/records';
import type { EpisodeLine, PlannedEpisode } from 'tiltyard/rollouts';
import { temporaryFolder } from './folder.ts';

/** A folder for a run, which does not exist yet; it goes when the test ends. */
export function runFolder(): string {
  return join(temporaryFolder('tiltyard-run-'), 'run');
}

/** The attempts of a run, as they are written down. */
export async function episodesOf(folder: string): Promise<EpisodeLine[]> {
  return linesOf<EpisodeLine>(join(folder, 'episodes.jsonl'));
}

/** The plan of a run. */
export async function planOf(folder: string): Promise<PlannedEpisode[]> {
  return linesOf<PlannedEpisode>(join(folder, 'plan.jsonl'));
}

async function linesOf<Line>(path: string): Promise<Line[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** The events of an attempt. */
export async function eventsOf(folder: string, episode: number, attempt = 1): Promise<RecordEvent[]> {
  const events: RecordEvent[] = [];
  for await (const event of readRecord(join(folder, 'events', `${episode}.${attempt}.jsonl`))) events.push(event);
  return events;
}

/** All files of a folder with their contents. */
export async function filesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, 'latin1')] as const),
    ),
  );
}
