import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HonestResult } from './prove.ts';
import { HONEST_KEY } from './sides.ts';

const SCRIPT = fileURLToPath(new URL('official.py', import.meta.url));

const AT_A_TIME = 8;

/** Plays so many episodes with the official Python clients; each must end with its reward. */
export async function playOfficially(python: string, url: string, episodes: number): Promise<HonestResult> {
  const child = spawn(python, [SCRIPT, url, HONEST_KEY, String(episodes), String(AT_A_TIME)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const failures: string[] = [];
  let rewarded = 0;
  for await (const line of createInterface(child.stdout)) {
    const { reward, failure = `a reward of ${reward}` } = JSON.parse(line);
    if (reward === 1) rewarded += 1;
    else failures.push(failure);
  }
  return { episodes: rewarded, failures };
}
