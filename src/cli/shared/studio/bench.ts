import { spawn } from 'node:child_process';
import type { JsonObject } from '../../../protocol/index.ts';
import type { Bench } from '../../../studio/index.ts';
import { Failure } from '../failure.ts';

/** Measures a server with `tiltyard bench` in a process of its own, so that the studio does not take part. */
export const runBenchCommand: Bench = async ({ url, apiKey }, { seconds, connections, signal }) => {
  const options = ['--json', '--duration', `${seconds}s`, '--connections', String(connections)];
  const args = [...process.execArgv, process.argv[1] ?? '', 'bench', url, ...options];
  // The key never goes to the command line, which others can read.
  const env = { ...process.env, TILTYARD_API_KEY: apiKey ?? '' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let [output, notes] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    notes = (notes + text).slice(-MOST_NOTES);
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (exitCode !== 0)
    throw new Failure(notes.trim().replace(/^tiltyard: /, '') || `bench exited with code ${exitCode}`);
  return JSON.parse(output) as JsonObject;
};

const MOST_NOTES = 4_000;
