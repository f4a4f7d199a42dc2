import { expect, test } from 'vitest';
import { withoutForeignFrames } from '../../src/cli/shared/location.ts';
import type { Job, StreamEvent } from '../../src/studio/api.ts';
import { startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { openStudio, type TestStudio } from './studio-client.ts';

async function ended(studio: TestStudio, id: string): Promise<Job> {
  const stream = await studio.stream(`job/${id}`);
  const isOver = (event: StreamEvent) => event.type === 'job' && event.job.status !== 'running';
  const event = await stream.next(isOver);
  return (event as Extract<StreamEvent, { type: 'job' }>).job;
}

async function open(options = {}): Promise<TestStudio> {
  const { url } = await startServer({ environments: [minimal()] });
  return openStudio({ targets: [{ name: url, url, apiKey: 'a-key-that-nobody-sees', isModule: false }], ...options });
}

test('U6: the referee tells each finding while it works', async () => {
  const studio = await open();
  const body = { kind: 'check', target: 't1', only: ['ors/D'] };
  const { id } = await studio.ask('POST /api/jobs', {}, { body });
  const job = await ended(studio, id);
  expect(job).toMatchObject({ kind: 'check', status: 'done', counts: { pass: expect.any(Number) }, problem: null });
  expect(job.findings.length).toBe(job.progress.total);
  expect(job.findings[0]).toMatchObject({ protocol: 'ors', id: expect.any(String), outcome: 'pass', exchanges: [] });
  expect(JSON.stringify(job)).not.toContain('a-key-that-nobody-sees');
  expect(await studio.ask('GET /api/jobs')).toMatchObject([{ id, status: 'done' }]);
});

test('U6: the lint shows what fails, with advice', async () => {
  const studio = await open();
  const { id } = await studio.ask('POST /api/jobs', {}, { body: { kind: 'lint', target: 't1', samples: 1 } });
  const job = await ended(studio, id);
  expect(job.status).toBe('done');
  expect(job.findings.map(({ protocol }) => protocol)).toContain('env');
  expect(job.findings.every(({ requirement }) => requirement !== '')).toBe(true);
});

test('U6: of an exception, a finding has the lines of the author', async () => {
  const setup = () => {
    throw new Error('no data');
  };
  const { url } = await startServer({
    environments: [{ ...minimal(), name: 'broken', setup }],
    returnErrors: 'stacktrace',
  });
  const targets = [{ name: url, url, apiKey: '', isModule: false }];
  const studio = await openStudio({ targets, toMessage: withoutForeignFrames });
  const { id } = await studio.ask('POST /api/jobs', {}, { body: { kind: 'lint', target: 't1', samples: 1 } });
  const reasons = (await ended(studio, id)).findings.map(({ reason }) => reason).join('\n');
  expect(reasons).toMatch(/Error: no data\n\s+at .*jobs\.test\.ts/);
  expect(reasons).not.toContain('/src/sessions/');
});

test('U6: a measurement is run, cancelled, or read from a file; a server that is away fails the job', async () => {
  let cancelled = false;
  const studio = await open({
    reports: [{ name: 'before.json', report: { unit: 'calls' } }],
    bench: (_target: unknown, { seconds, signal }: { seconds: number; signal: AbortSignal }) =>
      seconds === 1
        ? Promise.resolve({ unit: 'calls', connections: 3 })
        : new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              cancelled = true;
              reject(signal.reason);
            }),
          ),
  });
  expect(await studio.ask('GET /api/jobs/:job', { job: 'j1' })).toMatchObject({
    kind: 'bench',
    target: null,
    title: 'before.json',
    report: { unit: 'calls' },
  });
  const start = async (body: object) =>
    (await studio.ask('POST /api/jobs', {}, { body: { target: 't1', ...body } })).id;
  expect(await ended(studio, await start({ kind: 'bench', seconds: 1 }))).toMatchObject({
    status: 'done',
    report: { connections: 3 },
  });
  const long = await start({ kind: 'bench', seconds: 60 });
  await studio.ask('POST /api/jobs/:job/cancel', { job: long });
  expect(await ended(studio, long)).toMatchObject({ status: 'cancelled', problem: null });
  expect(cancelled).toBe(true);
  await studio.ask('POST /api/targets', {}, { body: { url: 'http://127.0.0.1:9' } });
  expect(await ended(studio, await start({ kind: 'check', target: 't2' }))).toMatchObject({
    status: 'failed',
    problem: { kind: 'server' },
  });
  for (const body of [
    '{"kind":"fly","target":"t1"}',
    '{"kind":"bench","target":"t1","seconds":9999}',
    '{"kind":"check"}',
  ]) {
    const answer = await studio.request('POST', '/api/jobs', { body, headers: { 'content-type': 'application/json' } });
    expect(answer.status, body).toBe(400);
  }
});
