import { environment, text } from 'tiltyard';
import { expect, test } from 'vitest';
import { hostOf, SESSION } from '../../test/support/host.ts';
import { EnvironmentError, ToolError, toFailure } from '../core/index.ts';
import { bytesOf, type CallEnding, outcomeOf, refused, toModelText } from './call-ending.ts';

// Otherwise each of those who wait for a large result would hold a copy of it.
test('E7: what is kept of a call can be sent as it is, to however many', async () => {
  const odd = environment({
    name: 'odd',
    splits: { train: [{}] },
    prompt: () => 'Break lines.',
    tools: { say: { run: () => text('a\u0085b\u2028c\u2029d') } },
  });
  const { host, callTool } = hostOf([odd]);
  await host.create(SESSION, { choice: { task: {} }, secrets: {} });
  const { ending } = callTool({ name: 'say', input: {}, bytes: 2 });
  expect(ending).toMatchObject({ kind: 'returned', json: expect.stringContaining('a\\u0085b\\u2028c\\u2029d') });
  await host.drain();
});

test('a failure that a tool reports is told as data, without secrets, and as one text for the model', async () => {
  const failing = environment({
    name: 'failing',
    splits: { train: [{}] },
    prompt: () => 'Fail.',
    tools: {
      fail: {
        run(_input, { secrets }) {
          const { KEY } = secrets;
          throw new ToolError(`not with ${KEY}`, {
            developerMessage: `key ${KEY}`,
            promptContent: `Use another than ${KEY}.`,
            canRetry: true,
            retryAfterMs: 5,
          });
        },
      },
    },
  });
  const { host, callTool } = hostOf([failing]);
  await host.create(SESSION, { choice: { task: {} }, secrets: { KEY: 'hunter2-hunter2' } });
  const { ending } = callTool({ name: 'fail', input: {} });
  expect(ending).toMatchObject({ kind: 'failed', outcome: 'tool_error', failure: { canRetry: true, retryAfterMs: 5 } });
  expect(JSON.stringify(ending)).not.toContain('hunter2');
  if (ending?.kind !== 'failed') throw new Error('it failed');
  expect(toModelText(ending.failure, ending.outcome)).toMatch(/^Tool 'fail' failed: not with .*\nUse another than /);
  await host.drain();
});

/** The ending of a call whose tool threw. */
function threw(thrown: Error): CallEnding {
  const error = new EnvironmentError('environment_failed', 'tool failed', { thrown });
  return { kind: 'failed', outcome: 'env_error', failure: toFailure(error) };
}

test('what a call failed with counts like a result', () => {
  const [short, long] = [bytesOf(threw(new Error('x'))), bytesOf(threw(new Error('x'.repeat(5_000))))];
  expect(long - short).toBeGreaterThanOrEqual(2 * 4_999);
  // Nobody reads more, and it may be somebody's whole input.
  expect(bytesOf(threw(new Error('x'.repeat(10_000_000))))).toBeLessThan(50_000);
});

test('what a tool says with an error counts like a result', () => {
  const said = { message: 'a'.repeat(1_000), developerMessage: 'b'.repeat(2_000), promptContent: 'c'.repeat(4_000) };
  expect(bytesOf({ kind: 'failed', outcome: 'tool_error', failure: { code: 'tool_failed', ...said } })).toBe(7_000);
});

test('what a call failed with holds nothing of the request', () => {
  const thrown = Object.assign(new Error('broken'), { request: 'a large one' });
  const { failure } = threw(thrown) as Extract<CallEnding, { kind: 'failed' }>;
  expect(failure.thrown).toEqual({ name: 'Error', message: 'broken', stack: thrown.stack });
});

test.each<[CallEnding, string]>([
  [{ kind: 'returned', json: '1' }, 'returned'],
  [threw(new Error('broken')), 'env_error'],
  [{ kind: 'failed', outcome: 'timeout', failure: { code: 'tool_failed', message: '' } }, 'timeout'],
  [refused({ code: 'setup_failed', message: '' }), 'env_error'],
  [refused({ code: 'session_gone', message: '' }), 'cancelled'],
  [refused({ code: 'session_expired', message: '' }), 'expired'],
  [refused({ code: 'too_many_calls', message: '' }), 'tool_error'],
])('%j is %s in one word', (ending, outcome) => expect(outcomeOf(ending)).toBe(outcome));
