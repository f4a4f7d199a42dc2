import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NodeServer, startModule } from '../child.ts';
import { median } from '../compare.ts';
import { ADD_INPUT, createEpisodes } from '../requests.ts';
import { API_KEY } from '../servers/api-key.ts';
import type { Verdict } from '../verdicts.ts';

const EPISODES = 1_000;
const CALLS_BEFORE = 10;
const AT_A_TIME = 64;

/** Kills a server with a thousand episodes, starts it again, and prints for how long their clients had to wait. */
export async function measureTakeover(): Promise<Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-bench-'));
  try {
    const env = { JOURNAL: join(folder, 'journal') };
    const first = await start(env);
    const sids = await createEpisodes(first.port, EPISODES);
    for (let call = 0; call < CALLS_BEFORE; call += 1) await forEach(sids, (sid) => add(first.port, sid));
    const killedAt = performance.now();
    first.kill('SIGKILL');
    await first.exited;
    using second = await start({ ...env, PORT: String(first.port) });
    const listeningMs = performance.now() - killedAt;
    const gaps: number[] = [];
    await forEach(sids, async (sid) => {
      while (!(await add(second.port, sid))) await sleep(10);
      gaps.push(performance.now() - killedAt);
    });
    const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
    process.stdout.write(
      `\ntakeover of ${EPISODES} episodes of ${CALLS_BEFORE} calls after kill -9: the server listens again after ${seconds(listeningMs)}, ` +
        `an episode goes on after ${seconds(median(gaps))} (median), ${seconds(Math.max(...gaps))} (worst)\n`,
    );
    return [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(env: Readonly<Record<string, string>>): Promise<NodeServer> {
  return startModule(new URL('../servers/journal.ts', import.meta.url), { env });
}

/** Whether a call was answered with a result. */
async function add(port: number, sid: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/counter/call`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'x-session-id': sid, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'add', input: ADD_INPUT, task_id: crypto.randomUUID() }),
  });
  const text = await response.text();
  return text.includes('"ok":true');
}

async function forEach(sids: readonly string[], work: (sid: string) => Promise<unknown>): Promise<void> {
  const left = [...sids];
  const next = async () => {
    for (let sid = left.pop(); sid !== undefined; sid = left.pop()) await work(sid);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, next));
}
