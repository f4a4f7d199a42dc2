import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RecordWriter } from 'tiltyard/records';
import { expect, test } from 'vitest';
import { killAtTheEnd } from '../support/command.ts';
import { eventsOf, newFolder } from './folders.ts';

const PROGRAM = fileURLToPath(new URL('./writing.ts', import.meta.url));
const KILLS = 50;

test(`Q2: ${KILLS} times kill -9 at random moments: nothing that was written is lost, and the record goes on`, {
  timeout: 600_000,
}, async () => {
  const file = join(newFolder(), 'episode.jsonl');
  let written = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const told = await writeUntilKilled(file, Math.random() * 30);
    const events = await eventsOf(file);
    expect(events.length).toBeGreaterThanOrEqual(Math.max(written, told));
    expect(events.map(({ n }) => n)).toEqual(events.map((_, n) => n));
    for (const event of events) if (event.type === 'note') expect(event.text).toBe(textOf(event.n));
    written = events.length;
  }
  expect(written).toBeGreaterThan(KILLS);
  using writer = RecordWriter.open(file, { existing: 'resume' });
  expect(writer.next).toBe(written);
  writer.append({ type: 'end', outcome: 'finished' });
  expect((await eventsOf(file)).at(-1)).toMatchObject({ n: written, type: 'end' });
});

/** What the program writes as the event of this number: sometimes so much that it goes into a blob. */
function textOf(n: number): string {
  return `${n} `.repeat(n % 7 === 0 ? 20_000 : 20);
}

/** Starts the program, kills it so long after its first event, and returns how many events it said were written. */
async function writeUntilKilled(file: string, afterMs: number): Promise<number> {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=tiltyard-source', '--import', 'tsx', PROGRAM, file],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  killAtTheEnd(child);
  let told = 0;
  if (child.stdout === null) throw new Error('it has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (told === 0) setTimeout(() => child.kill('SIGKILL'), afterMs);
    told = Number(line);
  }
  return told;
}
