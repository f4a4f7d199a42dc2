import { expect, onTestFinished, test, vi } from 'vitest';
import { compileTool } from './compiled-tool.ts';
import { ToolError } from './errors.ts';
import { invoke } from './invoke.ts';
import { LazyAbort } from './lazy-abort.ts';
import type { ToolContext } from './tool.ts';

const refuse = (): never => {
  throw new Error('ask somebody else');
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Runs a tool that does this, at once and later, and gives both outcomes. */
async function outcomesOf(act: () => unknown) {
  const run = (work: () => unknown) =>
    invoke(compileTool('tool', { run: work as never }, 'here', { lenient: true }), {}, {} as ToolContext, {});
  return [await run(act), await run(async () => act())];
}

const RETURNED: [what: string, value: () => unknown][] = [
  ['a proxy that answers nothing', () => new Proxy({}, { has: refuse, get: refuse })],
  ['what is no longer there', revoked],
];

test.each(RETURNED)('a tool that returns %s has returned it, or has crashed', async (_what, value) => {
  for (const { kind } of await outcomesOf(value)) expect(['returned', 'crashed']).toContain(kind);
});

const THROWN: [what: string, value: () => unknown, message: string][] = [
  [
    'a proxy that answers nothing',
    () => new Proxy({}, { has: refuse, get: refuse, getPrototypeOf: refuse }),
    'cannot be read',
  ],
  ['what is no longer there', revoked, 'cannot be read'],
  ['nothing', () => undefined, 'thrown: nothing'],
  [
    'a failure that cannot be read',
    () => Object.defineProperty(new ToolError('x'), 'message', { get: refuse }),
    'ask somebody',
  ],
];

test.each(THROWN)('a tool that throws %s has crashed', async (_what, value, message) => {
  const thrown = () => {
    throw value();
  };
  for (const outcome of await outcomesOf(thrown))
    expect(outcome).toMatchObject({ kind: 'crashed', error: { message: expect.stringContaining(message) } });
});

test('a tool whose promise cannot be waited for has crashed', async () => {
  const [now] = await outcomesOf(() => Object.defineProperty({}, 'then', { get: refuse }));
  expect(now).toMatchObject({ kind: 'crashed' });
});

test('a failure is read field by field: what has the wrong type becomes text, or is left out', async () => {
  const error = Object.assign(new ToolError('x'), {
    message: { code: 4 },
    promptContent: Object.create(null),
    developerMessage: Symbol('s'),
    canRetry: 'yes',
    retryAfterMs: Number.NaN,
  });
  const outcomes = await outcomesOf(() => {
    throw error;
  });
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: {
        message: 'an object',
        promptContent: 'an object',
        developerMessage: 'Symbol(s)',
        canRetry: undefined,
        retryAfterMs: undefined,
      },
    });
});

test.each([
  [-5, 0],
  [1.6, 2],
  [Number.POSITIVE_INFINITY, undefined],
])('a failure that asks to wait for %d ms asks for %j', async (given, asked) => {
  const outcomes = await outcomesOf(() => {
    throw new ToolError('busy', { retryAfterMs: given });
  });
  for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'failed', failure: { retryAfterMs: asked } });
});

test('a tool that ends within its time leaves no timer behind, and is not told to stop afterwards', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const abort = new LazyAbort();
  const tool = compileTool('tool', { timeoutMs: 1_000, run: async () => 'done' }, 'here', { lenient: true });
  expect(await invoke(tool, {}, {} as ToolContext, { abort })).toEqual({ kind: 'returned', value: 'done' });
  expect(vi.getTimerCount()).toBe(0);
  expect(abort.aborted).toBe(false);
});
