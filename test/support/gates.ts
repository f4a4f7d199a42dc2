import { type Environment, environment } from 'tiltyard';
import { z } from 'zod';
import { gate } from './gate.ts';
import { startServer, type TestOptions, type TestServer } from './http.ts';
import { type OpenCall, type OpenOptions, openCall } from './stream.ts';

/** A place where an environment's code waits until the test lets it go on. */
export class Gate {
  readonly #reached = gate();
  readonly #opened = gate();

  /** Resolves when code has come to the gate. */
  get reached(): Promise<void> {
    return this.#reached.opened;
  }

  readonly open: () => void = this.#opened.open;

  /** Waits at the gate, unless the signal fires first. */
  pass(signal?: AbortSignal): Promise<void> {
    this.#reached.open();
    if (signal === undefined) return this.#opened.opened;
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([this.#opened.opened, aborted]);
  }
}

/** An environment whose setup, tool and teardown wait for the test. */
export interface Gated {
  readonly environments: [Environment];
  readonly setup: Gate;
  readonly tool: Gate;
  readonly teardown: Gate;
  /** What happened, in order. */
  readonly trace: string[];
  count(event: string): number;
}

const GatedTask = z.looseObject({
  /** Where the episodes of this task wait, besides the tools. */
  gates: z.array(z.enum(['setup', 'teardown'])).default([]),
  /** Whether setup ends when it is aborted. */
  deaf: z.boolean().default(false),
});

/** A new environment `gated`, with all gates closed; only tasks that name a gate wait at it. */
export function gated(): Gated {
  const [setup, tool, teardown] = [new Gate(), new Gate(), new Gate()];
  const trace: string[] = [];
  const env = environment({
    name: 'gated',
    task: GatedTask,
    splits: { train: [{}] },
    async setup({ task, signal }) {
      trace.push('setup');
      if (task.gates.includes('setup')) await setup.pass(task.deaf ? undefined : signal);
      return { ready: true };
    },
    prompt: () => 'Wait.',
    tools: {
      wait: {
        description: 'Waits at the gate; ends early when aborted. Returns the text.',
        input: z.object({ text: z.string().default('waited') }),
        async run({ text }, { signal }) {
          trace.push('wait');
          signal.addEventListener('abort', () => trace.push('wait:aborted'));
          await tool.pass(signal).finally(() => trace.push('wait:end'));
          return text;
        },
      },
      deaf: {
        description: 'Waits at the gate, whatever its signal says.',
        async run() {
          trace.push('deaf');
          await tool.pass();
          trace.push('deaf:end');
          return 'heard nothing';
        },
      },
      fail: {
        description: 'Waits at the gate and throws.',
        async run() {
          trace.push('fail');
          await tool.pass();
          throw new Error('it broke');
        },
      },
    },
    async teardown({ task, state }) {
      trace.push(state === undefined ? 'teardown:unset' : 'teardown');
      if (task.gates.includes('teardown')) await teardown.pass();
      trace.push('teardown:end');
    },
  });
  return {
    environments: [env],
    setup,
    tool,
    teardown,
    trace,
    count: (event) => trace.filter((each) => each === event).length,
  };
}

/** A server of the gated environment alone. */
export interface GatedServer extends Gated {
  readonly server: TestServer;
  /** A session, for tests that need just one. */
  readonly sid: string;
  /** Starts a call in that session, of `wait` unless told otherwise. */
  open(call?: Partial<OpenOptions>): OpenCall;
}

/** Starts a server of the gated environment; it is closed when the test ends. */
export async function startGated(options: TestOptions = {}): Promise<GatedServer> {
  const gates = gated();
  const server = await startServer({ environments: gates.environments, ...options });
  const sid = await server.create();
  const open = (call = {}) => openCall(server, { sid, name: 'wait', env: 'gated', ...call });
  return { ...gates, server, sid, open };
}
