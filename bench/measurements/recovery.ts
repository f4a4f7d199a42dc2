import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JournalRecord, openJournal } from '../../src/journal/index.ts';
import { type NodeServer, startModule } from '../child.ts';
import { ADD_INPUT, createEpisodes } from '../requests.ts';
import { API_KEY } from '../servers/api-key.ts';
import { atMostSeconds, type Verdict } from '../verdicts.ts';

const EPISODES = 100_000;
const CALLS_BEFORE = 10;
const AT_A_TIME = 5_000;
const AIM_MS = 60_000;

/** Starts a server on a journal of 100,000 live episodes, and prints how long that takes, and a call in one of them. */
export async function measureRecovery(): Promise<Verdict[]> {
  const folder = join(mkdtempSync(join(tmpdir(), 'tiltyard-bench-')), 'journal');
  try {
    const [sid = ''] = await playOne(folder);
    await multiply(folder, sid);
    const startedAt = performance.now();
    using server = await start(folder);
    const listeningMs = performance.now() - startedAt;
    const firstCallMs = await timeOf(() => add(server.port, `${sid}-${EPISODES / 2}`));
    const nextCallMs = await timeOf(() => add(server.port, `${sid}-${EPISODES / 2}`));
    process.stdout.write(
      `\nrecovery of ${EPISODES} episodes of ${CALLS_BEFORE} calls: the server listens after ${(listeningMs / 1000).toFixed(1)} s, with ` +
        `${heldMb(server.pid)} MB of memory besides the pages of the journal; the first call in an episode takes ${firstCallMs.toFixed(0)} ms, the next ${nextCallMs.toFixed(0)} ms\n`,
    );
    return [atMostSeconds(`recovery of ${EPISODES} episodes, from the start to listening`, listeningMs, AIM_MS)];
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
}

/** Plays one episode on a server with this journal, which then ends as if it was killed. */
async function playOne(folder: string): Promise<readonly string[]> {
  const server = await start(folder);
  const sids = await createEpisodes(server.port, 1);
  for (let call = 0; call < CALLS_BEFORE; call += 1) await add(server.port, sids[0] ?? '');
  server.kill('SIGKILL');
  await server.exited;
  return sids;
}

/** Writes the records of an episode once more under many other ids: as a server would have, and sooner. */
async function multiply(folder: string, sid: string): Promise<void> {
  const journal = await openJournal<JournalRecord & { readonly sid?: string }>(folder);
  const [entry] = [...journal.entries()].filter(({ first }) => first.sid === sid);
  const records = journal.read(entry?.key ?? '');
  for (let from = 0; from < EPISODES; from += AT_A_TIME) {
    const writing: Promise<unknown>[] = [];
    for (let number = from + 1; number <= from + AT_A_TIME; number += 1) {
      const key = entry?.key.replace(sid, `${sid}-${number}`) ?? '';
      for (const [index, record] of records.entries()) {
        const named = record.sid === undefined ? record : { ...record, sid: `${sid}-${number}` };
        writing.push(journal.append(key, { ...named, at: Date.now() }, index));
      }
    }
    await Promise.all(writing);
  }
  await journal.close();
}

function start(folder: string): Promise<NodeServer> {
  return startModule(new URL('../servers/journal.ts', import.meta.url), { env: { JOURNAL: folder } });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** How much memory a process has of its own, where the system tells: the pages of files it can have back at any time. */
function heldMb(pid: number): string {
  const [, kb = ''] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kb) / 1024).toFixed(0);
}

async function add(port: number, sid: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/counter/call`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'x-session-id': sid, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'add', input: ADD_INPUT, task_id: crypto.randomUUID() }),
  });
  const text = await response.text();
  if (!text.includes('"ok":true')) throw new Error(`a call in session ${sid} failed: ${text}`);
}
