import { expect, test } from 'vitest';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { bank } from './toolkits.ts';

const MS = expect.any(Number);
const INFO = 30;

test('each call has a line: whose it was, how long it took, and how it ended', async () => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger });
  const sid = await server.create();
  const { taskId } = await server.call(sid, 'noargs');
  await server.call(sid, 'boom');
  expect(linesOf(lines, 'call')).toMatchObject([
    { level: INFO, sid, taskId, environment: 'math', tool: 'noargs', ms: MS, outcome: 'scored' },
    { level: INFO, sid, environment: 'math', tool: 'boom', ms: MS, outcome: 'env_error' },
  ]);
});

test('each call of a tool outside sessions has a line as well', async () => {
  const lines = logLines();
  const server = await startServer({ environments: [], toolkits: [bank], logger: lines.logger });
  await server.post('/tools/call', { request: { call_id: 'mine', tool_id: 'Bank.Rate', input: {} } });
  const [line, ...others] = linesOf(lines, 'call');
  expect(others).toEqual([]);
  expect(line).toMatchObject({ callId: 'mine', tool: 'Bank.Rate@1.0.0', ms: MS, outcome: 'scored' });
  expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['sid']));
});

test('each session has a line at its end: its environment, its outcome, its calls and its time', async () => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger });
  const sid = await server.create();
  await server.call(sid, 'noargs');
  await server.call(sid, 'submit', { answer: '0' });
  expect(linesOf(lines, 'session ended')).toEqual([]);
  await server.post('/delete', undefined, { sid });
  expect(linesOf(lines, 'session ended')).toMatchObject([
    { level: INFO, sid, environment: 'math', outcome: 'scored', calls: 2, ms: MS },
  ]);
});

test('no line holds an input, a result or a secret', async () => {
  const lines = logLines();
  const server = await startServer({ logger: lines.logger });
  const sid = await server.create({ split: 'train', index: 0, secrets: { KEY: 'very-secret-value' } });
  await server.call(sid, 'echo', { value: 'what-only-the-model-knows' });
  await server.call(sid, 'secret');
  await server.call(sid, 'boom', { message: 'with very-secret-value inside' });
  await server.post('/delete', undefined, { sid });
  expect(linesOf(lines, 'call')).toHaveLength(3);
  expect(lines.text()).not.toContain('very-secret-value');
  expect(lines.text()).not.toContain('what-only-the-model-knows');
});
