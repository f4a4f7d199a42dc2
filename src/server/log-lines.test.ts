import fc from 'fast-check';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { type LineLogger, lineWriter } from './log-lines.ts';

function bothWrite(fields: Record<string, string | number | undefined>, level = 'info') {
  const lines = { ours: [] as string[], pinos: [] as string[] };
  const stream = { write: (line: string) => void lines.pinos.push(line) };
  // Fastify brings pino along.
  const { log: logger } = Fastify({ logger: { level, stream } });
  const write = lineWriter(logger as LineLogger, {
    write: (line) => void lines.ours.push(typeof line === 'string' ? line : line()),
  });
  write(fields, 'call');
  logger.info(fields, 'call');
  const withoutTime = (all: string[]) => all.map((line) => line.replace(/"time":\d+/, '"time":0'));
  return { ours: withoutTime(lines.ours), pinos: withoutTime(lines.pinos) };
}

test('a line is what pino writes, whatever is in it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (sid, url, ms) => {
        const { ours, pinos } = bothWrite({ sid, url, ms, tool: undefined });
        expect(ours.map((line) => JSON.parse(line))).toEqual(pinos.map((line) => JSON.parse(line)));
      },
    ),
    { numRuns: 300 },
  );
});

test('the order and form are those of pino', () => {
  const { ours, pinos } = bothWrite({
    method: 'POST',
    url: '/math/call',
    sid: 'a "quoted" one\n',
    status: 200,
    ms: 0.25,
  });
  expect(ours).toEqual(pinos);
});

test('nothing is written above level info', () => {
  expect(bothWrite({ sid: 'x' }, 'warn')).toEqual({ ours: [], pinos: [] });
});
