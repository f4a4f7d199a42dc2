import { type } from 'arktype';
import {
  type EnvironmentTool,
  type EpisodeContext,
  type EpisodeLog,
  type EpisodeToolContext,
  environment,
  type Secrets,
  type SetupContext,
  type SplitDefinition,
  step,
  type TaskList,
  type TeardownContext,
  type ToolAuthorization,
  type ToolRequirements,
  type ToolReturn,
  tool,
  toolkit,
} from 'tiltyard';
import { play } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';

// Each @ts-expect-error below is a test of its own: `tsc` fails if the line compiles.

const add = tool({ input: z.object({ a: z.number(), b: z.number() }), output: z.number(), run: ({ a, b }) => a + b });

const typed = environment({
  name: 'typed',
  task: z.object({ question: z.string(), answer: z.string(), level: z.number().default(1) }),
  splits: { train: [{ question: 'q', answer: 'a' }] },
  setup: async ({ task }) => ({ tries: 0, first: task.question.charAt(0) }),
  prompt: ({ task, state }) => `${task.question} ${task.level.toFixed()} ${state.tries.toFixed()}`,
  tools: {
    submit: {
      input: z.object({ answer: z.string() }),
      run({ answer }, { task, state }) {
        state.tries += 1;
        return step(answer.trim() === task.answer ? 'yes' : 'no', { reward: state.tries });
      },
    },
    ark: { input: type({ count: 'number' }), run: ({ count }) => count.toFixed() },
    plain: { input: { type: 'object', properties: { x: { type: 'number' } } }, run: ({ x }) => x },
    hint: { shared: false, run: ({}, { task }) => task.answer.length },
    add,
  },
  taskTools: () => ['hint'],
  teardown: ({ state }) => void state?.tries,
});

test('task, state and input are inferred, from zod, ArkType, plain JSON Schema and tool()', async () => {
  await using episode = await play(typed, { split: 'train', index: 0 });
  expect((await episode.prompt())[0]).toMatchObject({ text: 'q 1 0' });
  expect(await episode.call('submit', { answer: 'a' })).toMatchObject({ text: 'yes', reward: 1 });
  expect(await episode.call('ark', { count: 2 })).toMatchObject({ text: '2' });
  expect(await episode.call('add', { a: 1, b: 2 })).toMatchObject({ text: '3', reward: null });
  expect(await episode.call('plain', { x: 1 })).toMatchObject({ text: '1' });
  expect(await episode.call('hint')).toMatchObject({ text: '1' });
});

test('wrong tool names and wrong inputs do not compile, and do not run', async () => {
  await using episode = await play(typed, { split: 'train', index: 0 });
  // @ts-expect-error no such tool
  await expect(episode.call('nope', {})).rejects.toThrow("'nope' is not a valid tool");
  // @ts-expect-error a number is not a string
  await expect(episode.call('submit', { answer: 5 })).rejects.toThrow('answer: Must be a string');
  // @ts-expect-error the input is missing
  await expect(episode.call('submit')).rejects.toThrow('answer: Is required');
});

test('wrong uses of task, state, splits and task tools do not compile', () => {
  const splits = { train: [{ n: 1 }] };
  const wrong = () => {
    environment({
      name: 'wrong',
      splits,
      setup: () => ({ count: 0 }),
      // @ts-expect-error the state has no `total`
      prompt: ({ state }) => `${state.total}`,
      // @ts-expect-error the task has no `m`
      tools: { a: { run: ({}, { task }) => task.m } },
    });
    environment({
      name: 'wrong',
      splits,
      prompt: () => '',
      // @ts-expect-error the input has no `b`
      tools: { a: { input: z.object({ a: z.string() }), run: ({ b }) => b } },
      // @ts-expect-error no such tool
      taskTools: () => ['b'],
    });
    environment({
      name: 'wrong',
      task: z.object({ n: z.string() }),
      // @ts-expect-error the task's schema wants a string
      splits,
      prompt: () => '',
      tools: { a: { run: () => '' } },
    });
    // @ts-expect-error a reward is a number
    step('x', { reward: '1' });
  };
  expect(wrong).toBeTypeOf('function');
});

test('what save returns is what restore gets; chance and the id of the call are there', async () => {
  const splits = { train: [{ n: 1 }] };
  const prompt = () => '';
  const tools = { a: { run: () => '' } };
  const kept = environment({
    name: 'kept',
    task: z.object({ n: z.number() }),
    splits,
    durability: 'snapshot',
    setup: ({ random, seed }) => ({ count: 0, luck: random() + seed }),
    save: ({ state, task }) => ({ count: state.count + task.n, luck: state.luck.toFixed() }),
    restore: async ({ saved, random }) => ({ count: saved.count + random(), luck: Number(saved.luck.slice(1)) }),
    prompt: ({ random, seed }) => (random() + seed).toFixed(),
    tools: {
      a: { effects: 'external', run: ({}, { callId, attempt }) => `${callId.length + attempt}` },
      b: { run: ({}, { seed, random, state }) => (seed + random() + state.count).toFixed() },
    },
  });
  await using episode = await play(kept, { split: 'train', index: 0 });
  expect((await episode.call('a')).text).not.toBe('');
  const wrong = () => {
    const setup = () => ({ count: 0 });
    const snapshot = { name: 'wrong', splits, setup, prompt, tools, durability: 'snapshot' } as const;
    const save = ({ state }: { state: { count: number } }) => ({ n: state.count });
    // @ts-expect-error nothing of that name is saved
    environment({ ...snapshot, save, restore: ({ saved }) => ({ count: saved.m }) });
    // @ts-expect-error another state than setup makes
    environment({ ...snapshot, save, restore: ({ saved }) => saved });
    // @ts-expect-error nothing is returned
    environment({ ...snapshot, save: ({ state }) => void state.count, restore: setup });
    // @ts-expect-error no such promise
    environment({ ...snapshot, durability: 'always' });
    // @ts-expect-error no such effects
    tool({ effects: 'some', run: () => '' });
  };
  expect(wrong).toBeTypeOf('function');
});

test('a tool that forgets its return does not compile', async () => {
  const input = z.object({ sure: z.boolean() });
  const splits = { train: [{ right: true }] };
  const forgotten = environment({
    name: 'forgotten',
    splits,
    setup: () => ({ tries: 0 }),
    prompt: () => '',
    tools: {
      submit: {
        input,
        // @ts-expect-error pays nobody
        run({ sure }, { task }) {
          step(sure === task.right ? 'yes' : 'no', { reward: 1, finished: true });
        },
      },
      // @ts-expect-error a promise of nothing is no better
      later: { input, run: async ({ sure }, { state }) => void step(`${sure}`, { reward: state.tries }) },
      branch: {
        input,
        // @ts-expect-error who is not sure gets nothing
        run({ sure }) {
          if (sure) return step('yes', { reward: 1 });
        },
      },
      laterBranch: {
        input,
        // @ts-expect-error the same, later
        async run({ sure }) {
          if (sure) return { yes: true };
          return;
        },
      },
      // @ts-expect-error what a map does not have is undefined
      lookup: { run: () => new Map([['a', 'b']]).get('c') },
      fine: { input, run: ({ sure }, { state }) => sure && state.tries.toFixed() },
    },
  });
  const kits = () => [
    // @ts-expect-error so are tools of their own
    tool({ input, run: ({ sure }) => void sure }),
    // @ts-expect-error and tools that stand in a toolkit
    toolkit({ name: 'Kit', tools: { Do: { async run() {} } } }),
    // @ts-expect-error also as one version of several
    toolkit({ name: 'Kit', tools: { Do: [{ run: () => '' }, { version: '2.0.0', run() {} }] } }),
  ];
  expect(kits()).toHaveLength(3);
  await using episode = await play(forgotten, { split: 'train', index: 0 });
  // Where nobody has looked at the types, it is what it was: an empty text.
  expect(await episode.call('submit', { sure: true })).toMatchObject({ text: '', reward: null, finished: false });
});

test('a tool returns nothing on purpose as an empty text or null, and anything else but a promise of nothing', () => {
  class Board {
    readonly cells = [1, 2];
  }
  const found: Record<string, unknown> = {};
  const tools = [
    tool({ run: () => '' }),
    tool({ run: async () => null }),
    tool({ run: () => found }),
    tool({ run: async () => new Board() }),
    tool({ run: async () => (Math.random() < 0.5 ? [1, 'two'] : step('x')) }),
    tool({
      run() {
        throw new Error('always');
      },
    }),
  ];
  expect(tools).toHaveLength(6);
});

test('a tool that echoes the shape of a reward pays nothing', async () => {
  const echo = environment({
    name: 'echo',
    splits: { train: [{ n: 1 }] },
    prompt: () => 'Say something.',
    tools: {
      echo: { input: z.looseObject({}), run: (input) => input },
      spread: { input: z.looseObject({}), run: (input) => ({ ...step('x', { reward: 0 }), ...input }) },
    },
  });
  await using episode = await play(echo, { split: 'train', index: 0 });
  const forged = { blocks: [{ type: 'text', text: 'paid' }], reward: 1, finished: true, metadata: null };
  for (const name of ['echo', 'spread'] as const) {
    expect(await episode.call(name, forged)).toMatchObject({ reward: null, finished: false });
  }
});

interface Door {
  readonly right: string;
}

interface Tries {
  count: number;
}

test('an environment can be written in parts, each with the type of its place', async () => {
  const lines: string[] = [];
  const note = (log: EpisodeLog, secrets: Secrets) => log.info('keys', { count: Object.keys(secrets).length });
  const doors: TaskList<Door> = () => [{ right: 'left' }];
  const train: SplitDefinition<Door> = { type: 'train', tasks: doors };
  const begin = ({ log, secrets }: SetupContext<Door>): Tries => {
    note(log, secrets);
    return { count: 0 };
  };
  const ask = ({ task, state }: EpisodeContext<Door, Tries>) => `${task.right.length} letters, ${state.count} tries`;
  const judge = (door: string, { task, state }: EpisodeToolContext<Door, Tries>): ToolReturn => {
    state.count += 1;
    return step('Open.', { reward: door === task.right ? 1 : 0 });
  };
  const input = z.object({ door: z.string() });
  const open: EnvironmentTool<typeof input, Door, Tries> = { input, run: ({ door }, context) => judge(door, context) };
  const end = ({ log, state }: TeardownContext<Door, Tries>) => log.info(`${state?.count} tries`);
  const parts = environment({
    name: 'parts',
    splits: { train },
    setup: begin,
    prompt: ask,
    tools: { open },
    teardown: end,
  });
  const write = (fields: object, message?: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: write, info: write, warn: write, error: write };
  {
    await using episode = await play(parts, { split: 'train', index: 0, secrets: { KEY: 'hidden' }, log });
    expect(await episode.prompt()).toMatchObject([{ text: '4 letters, 0 tries' }]);
    expect(await episode.call('open', { door: 'left' })).toMatchObject({ reward: 1 });
    // @ts-expect-error the input of a tool that stands apart is known, too
    await expect(episode.call('open', { door: 1 })).rejects.toThrow('door: Must be a string');
  }
  expect(lines).toEqual([expect.stringMatching(/^keys .*"count":1/), expect.stringContaining('1 tries')]);
});

test('one misspelt key is one mistake: all else is inferred, and the line that is wrong is the one that is marked', () => {
  const input = z.object({ answer: z.string() });
  const splits = { train: [{ question: 'q', answer: 'a' }] };
  const setup = ({ task }: SetupContext<{ question: string }>) => ({ tries: task.question.length });
  const wrong = () => {
    environment({
      name: 'wrong',
      splits,
      setup,
      // @ts-expect-error prompt
      prompts: () => 'Go.',
      tools: {
        submit: { input, run: ({ answer }, { task, state }) => answer === task.answer && state.tries.toFixed() },
      },
      teardown: ({ state }) => void state?.tries.toFixed(),
    });
    environment({
      name: 'wrong',
      // @ts-expect-error splits
      split: splits,
      setup: () => ({ tries: 0 }),
      prompt: ({ state }) => state.tries.toFixed(),
      tools: { submit: { input, run: ({ answer }, { state }) => answer + state.tries.toFixed() } },
    });
    environment({
      // @ts-expect-error name
      nmae: 'wrong',
      splits,
      setup,
      prompt: ({ task, state }) => task.question + state.tries.toFixed(),
      tools: { submit: { input, run: ({ answer }, { task }) => answer === task.answer } },
    });
    // @ts-expect-error the prompt is missing, and nothing is misspelt
    environment({ name: 'wrong', splits, tools: { submit: { run: () => '' } } });
    // @ts-expect-error secrets
    tool({ requirements: { secret: ['KEY'] }, run: ({}, { userId }) => userId ?? '' });
    // @ts-expect-error name
    toolkit({ nam: 'Kit', tools: { Add: add } });
  };
  expect(wrong).toThrow("unknown key 'prompts'. Did you mean 'prompt'?");
});

test('what a tool requires of its caller is in its context', async () => {
  const url = 'https://example.com/grant';
  const send = tool({
    input: z.object({ to: z.string() }),
    requirements: { secrets: ['KEY', 'OTHER'], userId: true, authorization: [{ id: 'mail', url }] },
    run({ to }, { secrets, userId, authorization }) {
      // @ts-expect-error nobody requires the third
      const keys = [secrets.KEY.trim(), secrets.OTHER.trim(), secrets.THIRD.trim()];
      return [to, ...keys, userId.trim(), authorization.mail.trim()];
    },
  });
  const requirements: ToolRequirements = { secrets: ['KEY'], userId: true };
  const untold = [
    // @ts-expect-error TypeScript does not know what is in there
    tool({ requirements, run: ({}, { userId }) => userId.trim() }),
    // @ts-expect-error it does not have to be there
    tool({ requirements: { userId: false }, run: ({}, { userId }) => userId.trim() }),
    // @ts-expect-error nothing is required
    tool({ requirements: { authorization: [] }, run: ({}, { authorization }) => authorization.mail }),
    // @ts-expect-error another one is required
    tool({ requirements: { authorization: [{ id: 'calendar', url }] }, run: ({}, c) => c.authorization.mail }),
  ];
  expect(untold).toHaveLength(4);

  // A session has no user to give: the tool does not run, whatever the types promise.
  const mail = environment({ name: 'mail', splits: { train: [{}] }, prompt: () => '', tools: { send } });
  await using episode = await play(mail, { split: 'train', index: 0, secrets: { KEY: 'a' } });
  await expect(episode.call('send', { to: 'Ada' })).rejects.toThrow(
    "Tool 'send' failed: the caller did not provide the secret OTHER, the authorization mail, a user id",
  );
});

test('the secrets that an environment requires are there in its setup and in its tools', async () => {
  const search = environment({
    name: 'search',
    splits: { train: [{ n: 1 }] },
    requirements: { secrets: ['SEARCH_KEY'] },
    setup: ({ secrets }) => ({ key: secrets.SEARCH_KEY.trim() }),
    prompt: ({ state }) => state.key.trim(),
    tools: {
      find: {
        input: z.object({ key: z.string() }),
        run: ({ key }, { secrets, state }) => key === secrets.SEARCH_KEY.trim() && key === state.key,
      },
      // @ts-expect-error nobody requires this one
      other: { run: ({}, { secrets }) => secrets.OTHER_KEY.trim() },
    },
  });
  await using episode = await play(search, { split: 'train', index: 0, secrets: { SEARCH_KEY: 'a-key' } });
  expect(await episode.call('find', { key: 'a-key' })).toMatchObject({ text: 'true' });
  await expect(play(search, { split: 'train', index: 0, secrets: { OTHER_KEY: 'b' } })).rejects.toThrow(
    "environment 'search' requires the secret SEARCH_KEY",
  );
});

test('what a tool requires of its caller can be written apart from it', () => {
  const calendar: ToolAuthorization = { id: 'calendar', url: 'https://example.com/grant' };
  const requirements: ToolRequirements = { secrets: ['KEY'], authorization: [calendar] };
  expect(tool({ requirements, run: () => '' }).requirements).toBe(requirements);
});
