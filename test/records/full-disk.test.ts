import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { needed } from '../support/needed.ts';
import { smallDisk } from '../support/small-disk.ts';
import { onlyRecordIn } from './folders.ts';

test('Q3: a full disk costs events and no episode; it is told, and the record goes on when there is room', async (context) => {
  const disk = await needed(context, 'records on a full disk', () => smallDisk(2));
  const lines = logLines();
  const server = await startServer({ record: { folder: join(disk, 'records') }, logger: lines.logger });
  const sid = await server.create();
  const dropped = async () => Number(/result="dropped"} (\d+)/.exec((await server.get('/metrics')).text)?.[1]);
  await server.call(sid, 'noargs');
  await eventually(async () => expect(await onlyRecordIn(disk)).toHaveLength(3));
  const ballast = join(disk, 'ballast');
  expect(() => writeFileSync(ballast, Buffer.alloc(4_000_000))).toThrow('ENOSPC');
  // As large results, and as small ones.
  for (let time = 0; time < 5; time += 1) {
    expect((await server.call(sid, 'big', { n: 300_000, ch: 'x' })).result).toMatchObject({ ok: true });
    expect((await server.call(sid, 'big', { n: 3_000, ch: 'y' })).result).toMatchObject({ ok: true });
  }
  await eventually(async () => expect(await dropped()).toBeGreaterThan(0));
  const [complaint] = linesOf(lines, 'records are incomplete: events could not be written');
  expect(complaint.problem).toContain('ENOSPC');
  rmSync(ballast);
  expect((await server.call(sid, 'noargs')).result).toMatchObject({ ok: true });
  await server.post('/delete', {}, { sid });
  await server.server.close();
  const events = await onlyRecordIn(disk);
  expect(events.map(({ n }) => n)).toEqual(events.map((_, n) => n));
  expect(events.at(-1)).toMatchObject({ type: 'end' });
  expect(events.filter((event) => event.type === 'note' && event.text.includes('missing'))).not.toHaveLength(0);
  for (const event of events) if (event.type === 'result') expect(events[event.call]).toMatchObject({ type: 'call' });
});
