import { createInterface } from 'node:readline';
import { openJournal, parseJournalKeys } from '../../src/journal/index.ts';

// Appends as fast as it can, or once for each line that it reads, and prints the key and the number of each record once it is
// acknowledged.
const [folder = '', count = 'lines', keys = ''] = process.argv.slice(2);
const journal = await openJournal<{ type: string; at: number; text: string; saved?: string }>(folder, {
  keys: keys === '' ? [] : parseJournalKeys(keys),
});
process.stdout.write('open\n');

async function fill(key: string, turns: AsyncIterable<unknown>): Promise<void> {
  let seq = journal.read(key).length;
  for await (const _ of turns) {
    const text = `${key} ${seq + 1} `.repeat(40);
    try {
      seq = await journal.append(key, { type: 'end', at: 1, text, saved: JSON.stringify(text) }, seq);
    } catch (thrown) {
      process.stdout.write(`${(thrown as Error).name}\n`);
      return;
    }
    // A pipe is written to before this returns, so what was acknowledged is known even if this process is killed next.
    process.stdout.write(`${key} ${seq}\n`);
  }
}

async function* forEver(): AsyncIterable<undefined> {
  for (;;) yield;
}

if (count === 'lines') await fill('key0', createInterface(process.stdin));
else await Promise.all(Array.from({ length: Number(count) }, (_, index) => fill(`key${index}`, forEver())));
await journal.close();
