import { type Outcome, step, ToolError, tool, toolkit } from 'tiltyard';
import { type Client, connect, connectOxp, type Session } from 'tiltyard/client';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Gate } from '../support/gates.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { type LogLines, linesOf, logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';
import { byLabel, toSamples } from '../support/samples.ts';

/** What the three witnesses say of something that ended. */
interface Testimony {
  /** The outcomes in the log's lines. */
  readonly logged: Outcome[];
  /** How often each outcome was counted. */
  readonly counted: Record<string, number>;
  readonly told: Outcome | undefined;
}

function agreeing(outcome: Outcome): Testimony {
  // A client hears of its calls: the one that finishes an episode has returned.
  return { logged: [outcome], counted: { [outcome]: 1 }, told: outcome === 'finished' ? 'returned' : outcome };
}

function withoutZeros(counted: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counted).filter(([, count]) => count !== 0));
}

/** What a client heard: the outcome of a result, or of the error that came instead. */
async function told(act: Promise<unknown>): Promise<Outcome | undefined> {
  const heard: any = await act.catch((error) => error);
  // An error without an outcome is none of ours: the test should show it.
  return heard.outcome ?? (heard instanceof Error ? (heard as never) : undefined);
}

/** What does not want to be asked anything. */
function guarded(): object {
  const refuse = () => {
    throw new Error('ask somebody else');
  };
  return new Proxy({}, { has: refuse, get: refuse });
}

const arrived = new Map<string, Gate>();

/** Environments in which all ends can be reached; one for each way, so that their numbers do not mix. */
function named(name: string) {
  const waiting = new Gate();
  arrived.set(name, waiting);
  return minimal({
    name,
    splits: { train: [{ id: 0 }] },
    setup: ({ task }: any) => {
      if (task.broken) throw new Error('no setup today');
    },
    prompt: ({ task }: any) => {
      if (task.unreadable) throw new Error('no prompt today');
      return 'Act.';
    },
    tools: {
      act: { run: () => 'done' },
      pay: { run: () => step('paid', { reward: 0.5 }) },
      finish: { run: () => step('paid', { reward: 1, finished: true }) },
      report: {
        run: () => {
          throw new ToolError('try another');
        },
      },
      crash: {
        run: () => {
          throw new Error('it broke');
        },
      },
      unreadable: { run: () => Symbol('no JSON') as never },
      guarded: { run: () => guarded() as never },
      unwritable: { run: () => step('paid', { reward: 1, metadata: { toJSON() {} } as never }) },
      misreport: {
        run: async () => {
          throw new ToolError('try another', { promptContent: Object.create(null) });
        },
      },
      hang: { timeoutMs: 20, run: () => new Promise(() => {}) },
      wait: { run: (_input: unknown, { signal }: any) => waiting.pass(signal).then(() => '') },
      typed: { input: z.object({ a: z.number() }), run: () => 'typed' },
    },
  });
}

interface Stage {
  readonly server: TestServer;
  readonly lines: LogLines;
  readonly client: Client;
  open(name: string, task?: object): Promise<Session>;
  remove(session: Session): Promise<unknown>;
  ofCall(environment: string, tool: string, told: Outcome | undefined): Promise<Testimony>;
  ofEpisode(environment: string, told: Outcome | undefined): Promise<Testimony>;
}

async function stage(names: readonly string[], idleMs = 60_000): Promise<Stage> {
  const lines = logLines();
  const server = await startServer({
    environments: names.map(named),
    logger: lines.logger,
    limits: { idleMs, graceMs: 100 },
  });
  // No ping comes between: one that meets the end of a session hears less of it than a call does.
  const client = connect(server.url, { apiKey: '', pingMs: 600_000 });
  const samples = async () => toSamples((await server.get('/metrics')).text);
  return {
    server,
    lines,
    client,
    open: (name, task = {}) => client.environment(name).session({ task } as never) as Promise<Session>,
    remove: ({ sid }) => server.post('/delete', undefined, { sid }),
    ofCall: async (environment, tool, outcome) => ({
      logged: linesOf(lines, 'call')
        .filter((line) => line.environment === environment && line.tool === tool)
        .map((line) => line.outcome),
      counted: byLabel(await samples(), {
        name: 'tiltyard_calls_total',
        label: 'outcome',
        having: { environment, tool },
      }),
      told: outcome,
    }),
    ofEpisode: async (environment, outcome) => ({
      logged: linesOf(lines, 'session ended')
        .filter((line) => line.environment === environment)
        .map((line) => line.outcome),
      // Those that never came are there with 0.
      counted: withoutZeros(
        byLabel(await samples(), { name: 'tiltyard_sessions_ended_total', label: 'outcome', having: { environment } }),
      ),
      told: outcome,
    }),
  };
}

/** Calls that end in each way; the last column is what the metrics and the log call the tool. */
const CALLS: [what: string, tool: string, input: object, outcome: Outcome, label?: string][] = [
  ['a tool that returns', 'act', {}, 'returned'],
  ['a tool that pays', 'pay', {}, 'returned'],
  ['a tool that reports a failure', 'report', {}, 'tool_error'],
  ['a tool that does not exist', 'nonsense', {}, 'tool_error', '(unknown)'],
  ['an input that does not fit', 'typed', { a: 'x' }, 'tool_error'],
  ['a tool that throws', 'crash', {}, 'env_error'],
  ['a tool whose result cannot be sent', 'unreadable', {}, 'env_error'],
  ['a tool whose result does not want to be looked at', 'guarded', {}, 'env_error'],
  ['a tool whose reward cannot be sent', 'unwritable', {}, 'env_error'],
  ['a tool that reports a failure in odd words', 'misreport', {}, 'tool_error'],
  ['a tool that takes too long', 'hang', {}, 'timeout'],
];

test.each(CALLS)(
  '%s (%s %j) is %s to the log, the metrics and the client',
  async (_what, tool, input, outcome, label) => {
    const { open, ofCall } = await stage(['one']);
    const session = await open('one');
    const heard = await told(session.call(tool, input));
    expect(await ofCall('one', label ?? tool, heard)).toEqual(agreeing(outcome));
    await session.close();
  },
);

test('all six kinds: the log, the metrics and the client agree on each', async () => {
  const { open, remove, ofCall, ofEpisode } = await stage(['calls', 'forgotten'], 300);
  const forgotten = await open('forgotten');
  const session = await open('calls');
  const heard = {
    returned: await told(session.call('pay')),
    tool_error: await told(session.call('report')),
    env_error: await told(session.call('crash')),
    timeout: await told(session.call('hang')),
  };
  const running = told(session.call('wait'));
  await arrived.get('calls')?.reached;
  await remove(session);
  await vi.waitFor(async () => expect((await ofEpisode('forgotten', undefined)).logged).toHaveLength(1), 5_000);

  expect({
    returned: await ofCall('calls', 'pay', heard.returned),
    tool_error: await ofCall('calls', 'report', heard.tool_error),
    env_error: await ofCall('calls', 'crash', heard.env_error),
    timeout: await ofCall('calls', 'hang', heard.timeout),
    cancelled: await ofCall('calls', 'wait', await running),
    expired: await ofEpisode('forgotten', await told(forgotten.call('act'))),
  }).toEqual({
    returned: agreeing('returned'),
    tool_error: agreeing('tool_error'),
    env_error: agreeing('env_error'),
    timeout: agreeing('timeout'),
    cancelled: agreeing('cancelled'),
    expired: agreeing('expired'),
  });
  await Promise.all([session.close(), forgotten.close()]);
});

/** What a client does in an episode, and what it hears last. */
const EPISODES: [
  what: string,
  act: (stage: Stage, session: Session) => Promise<unknown>,
  outcome: Outcome,
  task?: object,
][] = [
  ['finished', (_, session) => session.call('finish'), 'finished'],
  ['whose setup fails', (_, session) => session.call('act'), 'env_error', { broken: true }],
  ['whose prompt fails', (_, session) => session.prompt(), 'env_error', { unreadable: true }],
  ['given up after a crash', (_, session) => session.call('crash'), 'env_error'],
  ['given up after a call that hung', (_, session) => session.call('hang'), 'timeout'],
  ['deleted', async ({ remove }, session) => remove(session).then(() => session.call('act')), 'cancelled'],
];

test.each(EPISODES)('an episode %s: the log, the metrics and the client agree', async (_what, act, outcome, task) => {
  const set = await stage(['one']);
  const session = await set.open('one', task);
  const heard = await told(act(set, session));
  await session.close();
  expect(await set.ofEpisode('one', heard)).toEqual(agreeing(outcome));
});

test('an episode that goes on after a crash is not broken by it', async () => {
  const { open, ofEpisode } = await stage(['one']);
  const session = await open('one');
  await told(session.call('crash'));
  const { outcome } = await session.call('finish');
  await session.close();
  expect(await ofEpisode('one', outcome)).toEqual(agreeing('finished'));
});

test('a call that a stopping server cuts off is cancelled, and so is its episode', async () => {
  const { server, lines, open } = await stage(['one']);
  const session = await open('one');
  const running = told(session.call('wait'));
  await arrived.get('one')?.reached;
  await server.server.close();
  expect(await running).toBe('cancelled');
  expect(linesOf(lines, 'call').map(({ outcome }) => outcome)).toEqual(['cancelled']);
  expect(linesOf(lines, 'session ended').map(({ outcome }) => outcome)).toEqual(['cancelled']);
});

test('no failure has a reward, not even 0', async () => {
  const { open } = await stage(['one']);
  const session = await open('one');
  for (const tool of ['report', 'crash', 'hang', 'nonsense']) {
    const error: any = await session.call(tool).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error.reward).toBeUndefined();
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ outcome: error.outcome });
  }
  await session.close();
});

describe('tools outside sessions', () => {
  const waiting = new Gate();
  const deaf = new Gate();
  const box = toolkit({
    name: 'Box',
    tools: {
      Act: tool({ run: () => 1 }),
      Report: tool({
        run: () => {
          throw new ToolError('try another');
        },
      }),
      Crash: tool({
        run: () => {
          throw new Error('it broke');
        },
      }),
      Hang: tool({ timeoutMs: 20, run: () => new Promise(() => {}) }),
      Typed: tool({ input: z.object({ a: z.number() }), run: () => 1 }),
      Needy: tool({ requirements: { secrets: ['KEY'] }, run: () => 1 }),
      Wait: tool({ run: (_input, { signal }) => waiting.pass(signal).then(() => '') }),
      Deaf: tool({ run: () => deaf.pass().then(() => '') }),
    },
  });

  test.each<[tool: string, input: object, outcome: Outcome, label?: string]>([
    ['Box.Act', {}, 'returned', 'Box.Act@1.0.0'],
    ['Box.Report', {}, 'tool_error', 'Box.Report@1.0.0'],
    ['Box.Crash', {}, 'env_error', 'Box.Crash@1.0.0'],
    ['Box.Hang', {}, 'timeout', 'Box.Hang@1.0.0'],
    ['Box.Typed', { a: 'x' }, 'tool_error', 'Box.Typed@1.0.0'],
    ['Box.Needy', {}, 'tool_error', 'Box.Needy@1.0.0'],
    ['Box.Nonsense', {}, 'tool_error', '(unknown)'],
  ])('%s %j is %s to the log, the metrics and the client', async (id, input, outcome, label) => {
    const lines = logLines();
    const server = await startServer({ environments: [], toolkits: [box], logger: lines.logger });
    const heard = await told(connectOxp(server.url).call(id, input, { maxToolRetries: 0 }));
    const counted = byLabel(toSamples((await server.get('/metrics')).text), {
      name: 'tiltyard_calls_total',
      label: 'outcome',
      having: { environment: '', tool: label ?? '' },
    });
    const logged = linesOf(lines, 'call').map((line) => [line.tool, line.outcome]);
    expect({ heard, counted, logged }).toEqual({
      heard: outcome,
      counted: { [outcome]: 1 },
      logged: [[label, outcome]],
    });
  });

  test('an input that does not fit is a call of its own, also under an id that is taken', async () => {
    const lines = logLines();
    const server = await startServer({ environments: [], toolkits: [box], logger: lines.logger });
    const call = (input: object) => connectOxp(server.url).call('Box.Typed', input, { callId: 'same' });
    const heard = [await told(call({ a: 1 })), await told(call({ a: 'x' }))];
    // No call at all, and so without an outcome.
    const refused = await call({ a: 2 }).catch((error) => error);
    expect([refused.name, refused.outcome]).toEqual(['OxpServerError', undefined]);
    const counted = byLabel(toSamples((await server.get('/metrics')).text), {
      name: 'tiltyard_calls_total',
      label: 'outcome',
      having: { environment: '', tool: 'Box.Typed@1.0.0' },
    });
    const logged = linesOf(lines, 'call').map(({ outcome }) => outcome);
    expect({ heard, counted, logged }).toEqual({
      heard: ['returned', 'tool_error'],
      counted: { returned: 1, tool_error: 1 },
      logged: ['returned', 'tool_error'],
    });
  });

  test('a call that a stopping server cuts off is cancelled', async () => {
    const lines = logLines();
    const { server, url } = await startServer({ environments: [], toolkits: [box], logger: lines.logger });
    const running = told(connectOxp(url).call('Box.Wait', {}, { maxToolRetries: 0 }));
    await waiting.reached;
    await server.close();
    expect(await running).toBe('cancelled');
    expect(linesOf(lines, 'call').map(({ outcome }) => outcome)).toEqual(['cancelled']);
  });

  test('so is one whose tool does not listen, once its time is up, and what it gives later changes nothing', async () => {
    const lines = logLines();
    const limits = { drainMs: 10, graceMs: 10 };
    const { server, url } = await startServer({ environments: [], toolkits: [box], logger: lines.logger, limits });
    const running = told(connectOxp(url).call('Box.Deaf', {}, { maxToolRetries: 0 }));
    await deaf.reached;
    await server.close();
    expect(await running).toBe('cancelled');
    deaf.open();
    await new Promise(setImmediate);
    expect(linesOf(lines, 'call').map(({ outcome }) => outcome)).toEqual(['cancelled']);
  });
});
