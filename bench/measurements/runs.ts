import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ADD_INPUT } from '../requests.ts';
import { API_KEY } from '../servers/api-key.ts';
import { atLeastShare, type Verdict } from '../verdicts.ts';
import type { Servers } from './servers.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const ROUNDS = 5;
// As the bench, which lets a second pass before it counts.
const WARM_UP_EPISODES = 1_000;
const EPISODES = 5_000;

/** Episodes of one call by `tiltyard run` with a keyless policy, beside `tiltyard bench --episodes`, in turns on the same server. */
export async function measureRuns({ tiltyard }: Servers): Promise<Verdict[]> {
  const target = `http://127.0.0.1:${tiltyard.port}`;
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-bench-'));
  try {
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const driven = await benchRate(target);
      const run = await runRate(target, join(folder, String(round)));
      process.stdout.write(`runs: ${Math.round(run)} episodes/s, bench: ${Math.round(driven)} episodes/s\n`);
      shares.push(run / driven);
    }
    shares.sort((one, other) => one - other);
    const [lowest = 0, median = 0, highest = 0] = [shares[0], shares[Math.floor(ROUNDS / 2)], shares.at(-1)];
    return [atLeastShare('tiltyard run: share of tiltyard bench --episodes', { lowest, median, highest }, 0.5)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchRate(target: string): Promise<number> {
  const input = ['--tool', 'add', '--input', JSON.stringify(ADD_INPUT)];
  const out = await tiltyard('bench', target, '--episodes', ...input, '--split', 'train', '--duration', '3s', '--json');
  return JSON.parse(out).servers[0].perSecond.median;
}

/** Without the start of the command: by the time in which the episodes were played. */
async function runRate(target: string, out: string): Promise<number> {
  const game = `${out}.json`;
  await writeFile(game, JSON.stringify({ calls: [{ tool: 'add', input: ADD_INPUT }] }));
  await tiltyard(
    'run',
    target,
    '--policy',
    game,
    '--split',
    'counted',
    '--n',
    String(EPISODES),
    '--out',
    out,
    '--json',
  );
  const at = async (episode: number) =>
    JSON.parse((await readFile(join(out, `events/${episode}.1.jsonl`), 'utf8')).split('\n')[0] ?? '').at;
  const counted = EPISODES - WARM_UP_EPISODES;
  return (counted * 1000) / ((await at(EPISODES - 1)) - (await at(WARM_UP_EPISODES - 1)));
}

async function tiltyard(...args: string[]): Promise<string> {
  const env = { ...process.env, TILTYARD_API_KEY: API_KEY };
  return (await promisify(execFile)(process.execPath, [MAIN, ...args], { env, maxBuffer: 2 ** 26 })).stdout;
}
