import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Environment, environment, step } from 'tiltyard';
import { z } from 'zod';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { cleanVariables, pythonPath } from './python-process.ts';

/** A call of a tool, as a trainer's model would make it. */
export type ToolCall = readonly [tool: string, input: object];

/** A server of two environments, and what reached it. */
export interface TrainingServer {
  readonly url: string;
  /** What the environments did, in order: `sums: submit {"answer":4}`. */
  readonly events: readonly string[];
  /** The requests that were answered with neither success nor a redirect, by method, path and status. */
  refused(): string[];
}

/** Starts a server whose second environment, `sums`, is the one that trainers ask for by name. */
export async function startTrainingServer(options: { secrets?: readonly string[] } = {}): Promise<TrainingServer> {
  const events: string[] = [];
  const lines = logLines();
  const { url } = await startServer({
    // Both have the same tools and tasks: what goes to the wrong one is seen in events and rewards alone.
    environments: [sums('decoy', { events, reward: -1 }), sums('sums', { events, reward: 1, ...options })],
    logger: lines.logger,
  });
  return {
    url,
    events,
    refused() {
      const ended = new Set(linesOf(lines, 'session ended').map(({ sid }) => sid));
      // The SDK pings while it deletes, and on a busy machine the ping may come second.
      const isLate = (sid: unknown, path: string) => path === '/ping' && ended.has(sid);
      return linesOf(lines, 'request')
        .filter(({ status, sid, url: path }) => status >= 400 && !isLate(sid, path))
        .map(({ method, url: path, status }) => `${method} ${path} ${status}`);
    },
  };
}

interface Sums {
  readonly events: string[];
  /** What a right answer earns. */
  readonly reward: number;
  readonly secrets?: readonly string[];
}

function sums(name: string, { events, reward, secrets = [] }: Sums): Environment {
  const happened = (what: string) => void events.push(`${name}: ${what}`);
  return environment({
    name,
    task: z.object({ a: z.number(), b: z.number() }),
    splits: { train: [1, 2, 3].map((a) => ({ a, b: a + 1 })) },
    requirements: { secrets },
    setup({ task, secrets: given }) {
      happened(`setup ${task.a}+${task.b}${secrets.map((key) => ` ${key}=${given[key]}`).join('')}`);
      return { looks: 0 };
    },
    prompt({ task }) {
      happened('prompt');
      return `What is ${task.a} + ${task.b}?`;
    },
    tools: {
      submit: {
        description: 'Submit the sum.',
        input: z.object({ answer: z.int().describe('the sum'), note: z.string().optional() }),
        run(input, { task, state }) {
          happened(`submit ${JSON.stringify(input)}`);
          const isRight = input.answer === task.a + task.b;
          return step(isRight ? 'Right.' : 'Wrong.', {
            reward: isRight ? reward : 0,
            finished: true,
            metadata: { looks: state.looks },
          });
        },
      },
      look: {
        description: 'See the first number again.',
        // Only the session's own list has it.
        shared: false,
        run(_input, { task, state }) {
          happened('look');
          state.looks += 1;
          return step(`It is ${task.a}.`, { reward: 0.25 });
        },
      },
    },
    taskTools: () => ['look'] as const,
    teardown: () => happened('teardown'),
  });
}

/** What a program of Python did. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of python/ with the trainers' packages against the server; gives the JSON that it prints. */
export async function runTrainer(script: string, { url }: { url: string }, args: unknown): Promise<any> {
  const path = fileURLToPath(new URL(`python/${script}`, import.meta.url));
  const { code, stdout, stderr } = await runPython([path, JSON.stringify(args)], { url });
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${stderr}`);
  return JSON.parse(stdout);
}

/** Runs the trainers' Python as their users do: variables lead it to the server. */
export async function runPython(
  args: readonly string[],
  { url, variables = {} }: { url: string; variables?: NodeJS.ProcessEnv },
): Promise<Ran> {
  const env = {
    ...cleanVariables(),
    OPENREWARD_API_KEY: 'a-key',
    OPENREWARD_API_URL: url,
    OPENREWARD_SESSION_URL: url,
    ...variables,
  };
  const child = spawn(pythonPath('trainers'), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
