import { type Environment, environment, image, step, ToolError, type Toolkit, text, tool, toolkit } from 'tiltyard';
import { z } from 'zod';
import { Gate } from '../support/gates.ts';

/** A number that stands nowhere else: whoever sees it has seen a reward. */
export const REWARD = 0.618_033;

// A picture of one pixel.
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What tests watch. */
export interface Watched {
  readonly environments: [Environment, Environment];
  readonly toolkits: [Toolkit];
  /** What authors' code has done, in order. */
  readonly trace: string[];
  readonly setup: Gate;
  readonly tool: Gate;
}

/** New environments: `quiz` without a setup, whose tools all tasks have; `maze` with one, whose tools depend on the task. */
export function watched(): Watched {
  const trace: string[] = [];
  const [setup, gate] = [new Gate(), new Gate()];
  const quiz = environment({
    name: 'quiz',
    task: z.looseObject({ question: z.string(), long: z.boolean().default(false) }),
    splits: {
      train: [{ question: 'What is 6 times 7?' }, { question: 'What is 6 times 8?' }],
      test: [{ question: 'What is 1 plus 1?', long: true }],
    },
    requirements: { secrets: [] },
    prompt: ({ task }) => [text(task.long ? task.question.repeat(200) : task.question)],
    tools: {
      submit: {
        description: 'Submit the answer.',
        input: z.object({ answer: z.string() }),
        run({ answer }) {
          trace.push(`submit ${answer}`);
          return step(answer === '42' ? 'Right.' : 'Wrong.', {
            reward: REWARD,
            finished: answer !== 'again',
            metadata: { paid: REWARD },
          });
        },
      },
      look: {
        description: 'Look at a picture.',
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: () => step([text('A pixel.'), image(Buffer.from(PIXEL, 'base64'), 'image/png')], { reward: REWARD }),
      },
      fail: {
        description: 'Fail on purpose.',
        run() {
          throw new ToolError('the door is locked', { promptContent: 'Find the key first.' });
        },
      },
      crash: {
        description: 'Crash, and tell a secret.',
        run(_input, { secrets }) {
          throw new Error(`lost the key ${secrets.KEY}`);
        },
      },
      hang: {
        description: 'Take too long.',
        timeoutMs: 20,
        run: (_input, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
      },
      wait: {
        description: 'Wait at the gate.',
        async run(_input, { signal }) {
          trace.push('wait');
          signal.addEventListener('abort', () => trace.push('wait aborted'));
          await gate.pass(signal);
          trace.push('wait ended');
          return 'waited';
        },
      },
    },
    teardown: () => void trace.push('teardown'),
  });
  const maze = environment({
    name: 'maze',
    splits: { train: [{ door: true }, { door: false }] },
    async setup({ task, signal }) {
      trace.push('setup');
      if (task.door) await setup.pass(signal);
      return { steps: 0 };
    },
    prompt: () => [text('Get out.'), image(Buffer.from(PIXEL, 'base64'), 'image/png')],
    tools: {
      walk: { description: 'Walk.', run: () => 'You walk.' },
      open: { description: 'Open the door.', shared: false, run: () => 'It opens.' },
    },
    taskTools: ({ task }) => (task.door ? ['open'] : []),
    teardown: () => void trace.push('teardown'),
  });
  return { environments: [quiz, maze], toolkits: [calculator], trace, setup, tool: gate };
}

const numbers = z.object({ a: z.number(), b: z.number() });

/** Tools outside of episodes. */
export const calculator: Toolkit = toolkit({
  name: 'Calculator',
  tools: {
    Add: [
      tool({
        description: 'Add, once.',
        version: '1.0.0',
        input: numbers,
        output: z.number(),
        run: ({ a, b }) => a + b,
      }),
      tool({ description: 'Add.', version: '1.10.0', input: numbers, output: z.number(), run: ({ a, b }) => a + b }),
      tool({
        description: 'Add, better.',
        version: '1.9.0',
        input: numbers,
        output: z.number(),
        run: ({ a, b }) => a + b,
      }),
    ],
    Divide: tool({
      description: 'Divide.',
      input: numbers,
      output: z.object({ quotient: z.number() }),
      run({ a, b }) {
        if (b === 0) throw new ToolError('cannot divide by zero', { promptContent: 'Choose another divisor.' });
        return { quotient: a / b };
      },
    }),
    Say: tool({ description: 'Say something.', input: z.object({ what: z.string() }), run: ({ what }) => what }),
    Audit: tool({ description: 'For accountants.', scopes: ['billing'], run: () => 'all is well' }),
    Mail: tool({
      description: 'Send mail.',
      requirements: {
        secrets: ['MAIL_KEY'],
        userId: true,
        authorization: [{ id: 'mailbox', url: 'https://example.com/grant' }],
      },
      run: (_input, { secrets, userId, authorization }) => `${userId} ${secrets.MAIL_KEY} ${authorization.mailbox}`,
    }),
  },
});
