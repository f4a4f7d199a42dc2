import { fileURLToPath } from 'node:url';
import { createServer, type ServerOptions } from 'tiltyard/server';
import { checkServer } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { newFolder } from '../journal/folders.ts';
import { startForTest } from '../support/shared.ts';
import { kept } from './durable-environment.ts';

const modules = [fileURLToPath(new URL('./durable-environment.ts', import.meta.url))];

test.each<[string, () => ServerOptions]>([
  ['a journal', () => ({ environments: [kept], journal: { folder: newFolder() } })],
  ['workers', () => ({ workers: { modules, count: 1 } })],
  ['workers and a journal', () => ({ workers: { modules, count: 1 }, journal: { folder: newFolder() } })],
])(
  'a server with %s passes everything',
  async (_with, options) => {
    const { url } = await startForTest(async () => {
      const server = await createServer({ ...options(), logger: false });
      return { server, url: await server.listen() };
    });
    const { protocols } = await checkServer({ url, isActive: true });
    const findings = protocols.flatMap(({ findings }) => findings);
    expect(findings.filter(({ verdict }) => verdict === 'fail').map(({ id, reason }) => `${id}: ${reason}`)).toEqual(
      [],
    );
    expect(findings.filter(({ verdict }) => verdict === 'skip').map(({ id }) => id)).toEqual([
      'G11',
      'D15',
      'X2',
      'P7',
    ]);
  },
  60_000,
);
