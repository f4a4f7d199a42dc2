import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { silent, toLimits } from '../../src/core/index.ts';
import { JournalKeeper } from '../../src/durable/index.ts';
import { program } from '../../src/server/workers/server-workers.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  LocalHost,
  type SessionOptions,
  Toolbox,
  unobserved,
} from '../../src/sessions/index.ts';
import { WorkerPool, WorkerRuntime, WorkerToolRuntime } from '../../src/workers/index.ts';
import { describeHost, describeRuntime, describeToolHost } from './contract.ts';

const MODULES = fileURLToPath(new URL('./modules.ts', import.meta.url));

// A process takes a second to start: tests whose workers are told the same share them.
const pools = new Map<string, Promise<WorkerPool>>();

afterAll(async () => {
  for (const pool of pools.values()) await (await pool).close();
});

function poolWith(changes: Partial<SessionOptions>): Promise<WorkerPool> {
  const { callsAfterFinish, maxCallsInFlight, graceMs, teardownMs } = { ...DEFAULT_SESSION_OPTIONS, ...changes };
  const key = JSON.stringify({ callsAfterFinish, maxCallsInFlight, graceMs, teardownMs });
  let pool = pools.get(key);
  if (pool === undefined) {
    pool = WorkerPool.start({
      count: 1,
      ...program(),
      log: silent,
      watchdogFd: 2,
      plan: {
        modules: [MODULES],
        tellsImports: false,
        limits: toLimits({ maxCallsInFlight, graceMs, teardownMs }),
        lenient: { environments: true, toolkits: false },
        callsAfterFinish,
        logLevel: 'silent',
        watchdog: undefined,
      },
    });
    pools.set(key, pool);
  }
  return pool;
}

async function runtime(changes: Partial<SessionOptions>): Promise<WorkerRuntime> {
  return new WorkerRuntime(await poolWith(changes), { ...DEFAULT_SESSION_OPTIONS, ...changes });
}

describeRuntime('H1: a runtime whose code runs in workers', runtime);
describeHost(
  'H1: a host whose code runs in workers',
  async (options) => new LocalHost(await runtime(options), { ...DEFAULT_SESSION_OPTIONS, ...options }),
);
describeHost('H1: a host whose code runs in workers, and whose episodes are kept', async (changes) => {
  const options = { ...DEFAULT_SESSION_OPTIONS, ...changes };
  const made = await runtime(changes);
  return new LocalHost(made, options, new JournalKeeper(made, options));
});
describeToolHost('H10: a toolbox whose code runs in workers', async ({ observer = unobserved, ...changes }) => {
  const limits = toLimits(changes);
  const tools = new WorkerToolRuntime(await poolWith({ graceMs: limits.graceMs }), limits);
  return new Toolbox(tools, { limits, log: silent, observer });
});
