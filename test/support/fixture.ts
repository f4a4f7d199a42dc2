import { type Environment, environment, image, SetupError, step, ToolError, text } from 'tiltyard';
import { z } from 'zod';

/** What happened in the environments of one server: setups, teardowns, prompts, and runs by tool. */
export interface Counters {
  setups: number;
  teardowns: number;
  prompts: number;
  listed: number;
  runs: Record<string, number>;
  /** The order of events, such as `setup`, `prompt`, `slow:start`, `slow:end`, `teardown`. */
  trace: string[];
  /** The last input each tool saw. */
  inputs: Record<string, unknown>;
}

/** The environments that the conformance tests speak of, with their counters. */
export interface Fixture {
  readonly counters: Counters;
  readonly environments: [math: Environment, code: Environment];
}

/** A task may carry orders for its episode. */
const TaskSchema = z.looseObject({
  question: z.string().optional(),
  answer: z.string().optional(),
  /** How long setup takes. */
  setup_ms: z.number().optional(),
  /** The message with which setup fails; `{secrets}` is replaced by the secrets' values. */
  setup_fail: z.string().optional(),
  /** Setup fails with this status (a SetupError). */
  setup_status: z.number().optional(),
  /** The message with which the prompt fails. */
  prompt_fail: z.string().optional(),
  /** How long teardown takes; -1 hangs for ever. */
  teardown_ms: z.number().optional(),
  teardown_fail: z.string().optional(),
  /** Which task tools this episode gets; all of them if absent. */
  task_tools: z.array(z.string()).optional(),
});

const tenTasks = Array.from({ length: 10 }, (_, index) => ({
  question: `What is ${index}+${index}?`,
  answer: String(index * 2),
}));

/** Waits, unless the signal fires first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** New environments with counters at zero. */
export function fixture(): Fixture {
  const counters: Counters = { setups: 0, teardowns: 0, prompts: 0, listed: 0, runs: {}, trace: [], inputs: {} };
  const ran = (tool: string, input?: unknown) => {
    counters.runs[tool] = (counters.runs[tool] ?? 0) + 1;
    counters.inputs[tool] = input;
    counters.trace.push(`${tool}:start`);
  };
  const math = environment({
    name: 'math',
    task: TaskSchema,
    splits: {
      train: () => {
        counters.listed += 1;
        return tenTasks;
      },
      test: { type: 'test', tasks: tenTasks.slice(0, 3) },
      hard: [{ question: 'hard', answer: '42' }],
    },
    async setup({ task, secrets, signal }) {
      counters.setups += 1;
      counters.trace.push('setup');
      if (task.setup_ms !== undefined) await pause(task.setup_ms, signal);
      if (task.setup_status !== undefined)
        throw new SetupError('this task cannot be set up', { status: task.setup_status });
      if (task.setup_fail !== undefined) {
        throw new Error(task.setup_fail.replace('{secrets}', Object.values(secrets).join(',')));
      }
      return { secrets, notes: [] as string[] };
    },
    prompt({ task }) {
      counters.prompts += 1;
      counters.trace.push('prompt');
      if (task.prompt_fail !== undefined) throw new Error(task.prompt_fail);
      return [text(`math: ${task.question ?? ''}`), image('aGk=', 'image/png')];
    },
    tools: {
      submit: {
        description: 'Submit an answer.',
        input: z.object({ answer: z.string() }),
        run({ answer }, { task }) {
          ran('submit', { answer });
          return step(answer === task.answer ? 'Correct!' : 'Incorrect.', {
            reward: answer === task.answer ? 1 : 0,
            finished: true,
          });
        },
      },
      num: {
        description: 'Takes numbers.',
        input: {
          type: 'object',
          properties: {
            x: { type: 'number', description: 'any number', 'x-unit': 'm' },
            n: { type: 'integer', default: 3, minimum: 1, maximum: 10 },
            flag: { type: 'boolean' },
            mode: { type: 'string', enum: ['easy', 'hard'] },
            nested: { type: 'object', properties: { deep: { type: 'string' } }, required: ['deep'] },
            list: { type: 'array', items: { type: 'number' } },
            nothing: { type: 'null' },
          },
          required: ['x'],
        },
        run(input) {
          ran('num', input);
          return input;
        },
      },
      noargs: {
        run(input) {
          ran('noargs', input);
          return 'nothing needed';
        },
      },
      slow: {
        description: 'Waits; ends early when aborted.',
        input: z.object({ ms: z.number(), tag: z.string().optional() }),
        async run({ ms, tag }, { signal }) {
          ran('slow', { ms, tag });
          try {
            await pause(ms, signal);
          } finally {
            counters.trace.push(`slow:end${tag ?? ''}`);
          }
          return `waited ${ms}`;
        },
      },
      parallel: {
        concurrent: true,
        input: z.object({ ms: z.number() }),
        async run({ ms }) {
          ran('parallel');
          await pause(ms);
          counters.trace.push('parallel:end');
          return 'ok';
        },
      },
      deaf: {
        description: 'Waits and ignores its signal.',
        input: z.object({ ms: z.number() }),
        async run({ ms }) {
          ran('deaf');
          await pause(ms);
          counters.trace.push('deaf:end');
          return 'ok';
        },
      },
      big: {
        description: 'Returns n times ch.',
        input: z.object({ n: z.number(), ch: z.string() }),
        maxOutputBytes: 64 * 1024 * 1024,
        run({ n, ch }) {
          ran('big');
          return ch.repeat(n);
        },
      },
      echo: {
        description: 'Returns its input as the tool saw it.',
        input: z.object({ value: z.any() }),
        run({ value }) {
          ran('echo');
          return value;
        },
      },
      secret: {
        description: 'Returns the secrets of the episode.',
        run(_input, { secrets }) {
          ran('secret');
          return { ...secrets };
        },
      },
      note: {
        description: 'Adds to the state of the episode and returns it.',
        input: z.object({ text: z.string() }),
        run({ text: note }, { state }) {
          state.notes.push(note);
          return [...state.notes].join(',');
        },
      },
      boom: {
        input: z.object({ message: z.string().optional() }),
        run({ message }) {
          ran('boom');
          throw new Error(message ?? 'boom');
        },
      },
      fail: {
        run() {
          ran('fail');
          throw new ToolError('the file is not there');
        },
      },
      empty: {
        run() {
          ran('empty');
          return [];
        },
      },
      nan: {
        run() {
          ran('nan');
          return step('not a number', { reward: Number.NaN });
        },
      },
      wrong: {
        description: 'Returns a step with something wrong in it.',
        input: z.object({ what: z.enum(['reward', 'finished', 'type', 'detail', 'metadata', 'text']) }),
        run({ what }) {
          ran('wrong');
          const content =
            {
              type: [{ type: 'video', text: 'x' }],
              detail: [{ type: 'text', text: 'x', detail: 5 }],
              text: [{ type: 'text', text: 5 }],
            }[what as string] ?? 'x';
          const options = { reward: { reward: '1.5' }, finished: { finished: 'yes' }, metadata: { metadata: [1] } }[
            what as string
          ];
          return step(content as never, options as never);
        },
      },
      details: {
        description: 'Returns a step with everything.',
        run() {
          ran('details');
          return step([text('a', { k: 1 }), image('aGk=', 'image/png', { w: 2 })], {
            reward: 0.5,
            metadata: { m: [1, null] },
          });
        },
      },
      hint: {
        description: 'A hint.',
        shared: false,
        run() {
          ran('hint');
          return 'think';
        },
      },
    },
    taskTools: ({ task }) => (task.task_tools ?? ['hint']) as 'hint'[],
    async teardown({ task, state }) {
      counters.teardowns += 1;
      counters.trace.push(`teardown${state === undefined ? ':unset' : ''}`);
      if (task.teardown_fail !== undefined) throw new Error(task.teardown_fail);
      if (task.teardown_ms === -1) await new Promise(() => {});
      if (task.teardown_ms !== undefined) await pause(task.teardown_ms);
    },
  });
  const code = environment({
    name: 'Code_Env',
    splits: { train: [{ file: 'a.py' }, { file: 'b.py' }] },
    prompt: ({ task }) => `code: ${task.file}`,
    tools: {
      run: {
        description: 'Runs the file.',
        run(_input, { task }) {
          ran('run');
          return `ran ${task.file}`;
        },
      },
    },
  });
  return { counters, environments: [math, code] };
}
