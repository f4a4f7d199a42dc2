// Writes events into a record, and after each of them how many there are, until it is killed.
import { writeSync } from 'node:fs';
import { RecordWriter } from 'tiltyard/records';

const [file = ''] = process.argv.slice(2);
const writer = RecordWriter.open(file, { existing: 'resume' });
if (writer.next === 0) writer.append({ type: 'episode', by: 'test', environment: 'none' });
for (;;) {
  const n = writer.next;
  writer.append({ type: 'note', text: `${n} `.repeat(n % 7 === 0 ? 20_000 : 20) });
  writeSync(1, `${writer.next}\n`);
}
