import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type EpisodeEvent, findRecords, readRecord } from '../../records/index.ts';
import type { EventPage, RecordDetail, RecordHead, RecordPage } from '../api.ts';
import { conflict, notFound, unreadable } from '../shared/refusal.ts';
import { readEventPage } from './event-page.ts';

const MOST_HEADS = 200;

/** Records outside of runs: the files that were named, and those in or below the folders that were. */
export class RecordLibrary {
  readonly #roots: readonly string[];

  constructor(roots: readonly string[]) {
    this.#roots = roots.map((root) => resolve(root));
  }

  get count(): number {
    return this.#paths().length;
  }

  /** Some of them; of the others, only the names are looked at. */
  async list({
    start = 0,
    stop = start + 50,
  }: {
    start?: number | undefined;
    stop?: number | undefined;
  }): Promise<RecordPage> {
    const paths = this.#paths();
    const shown = paths.slice(start, Math.min(stop, start + MOST_HEADS));
    return { total: paths.length, start, records: await Promise.all(shown.map(readHead)) };
  }

  async get(id: string): Promise<RecordDetail> {
    const path = this.#find(id);
    const head = await readHead(path);
    if (head.problem !== null) throw conflict(head.problem.message);
    const events = await readEventPage(path, 0);
    const prompt = events.events.find((event) => event.type === 'prompt');
    return { ...head, prompt: prompt?.blocks ?? null, events };
  }

  async events(id: string, start: number): Promise<EventPage> {
    return readEventPage(this.#find(id), start);
  }

  #find(id: string): string {
    const path = this.#paths().find((each) => idOf(each) === id);
    if (path === undefined) throw notFound('record', id);
    return path;
  }

  #paths(): string[] {
    return this.#roots.flatMap((root) => {
      const stat = statSync(root, { throwIfNoEntry: false });
      if (stat === undefined) return [];
      return stat.isDirectory() ? findRecords(root) : [root];
    });
  }
}

function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

async function readHead(path: string): Promise<RecordHead> {
  const place = { id: idOf(path), name: basename(path), path };
  try {
    const { environment, split = null, index = null, task = null, at } = await readFirst(path);
    return { ...place, environment, split, index, task, at, problem: null };
  } catch (thrown) {
    return { ...place, problem: unreadable(thrown) };
  }
}

async function readFirst(path: string): Promise<EpisodeEvent> {
  for await (const event of readRecord(path)) if (event.type === 'episode') return event;
  throw new Error(`${path} has no whole event in it`);
}
