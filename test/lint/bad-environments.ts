import { type Environment, environment, step } from 'tiltyard';
import type { ServerOptions } from 'tiltyard/server';
import { z } from 'zod';
import type { Break, Returning } from '../referee/oxp-proxy.ts';

/** An environment with one flaw. */
export interface BadEnvironment {
  readonly what: string;
  /** The only rule that it breaks. */
  readonly id: string;
  /** What the finding must name. */
  readonly told: RegExp;
  readonly environment: Environment;
  /** What our own definitions refuse and servers of other makes do not. */
  readonly breaks?: Break;
  readonly sessions?: ServerOptions['sessions'];
  /** What whoever runs its code has heard. */
  readonly strayErrors?: readonly string[];
  readonly processEnds?: readonly string[];
  /** Where the lint has to wait in vain. */
  readonly timeoutMs?: number;
}

interface Quiz {
  readonly question: string;
  readonly answer: string;
}

const CAPITALS: readonly Quiz[] = [
  { question: 'the capital of Portugal', answer: 'Lisbon' },
  { question: 'the capital of Austria', answer: 'Vienna' },
  { question: 'the capital of Norway', answer: 'Oslo' },
];

/** A quiz without a flaw, or with those of the test. */
export function quiz(flaws: Record<string, unknown> = {}): Environment {
  return environment({
    name: 'quiz',
    splits: { train: CAPITALS },
    prompt: ({ task }: { task: Quiz }) => `What is ${task.question}?`,
    tools: { submit: submitTool() },
    ...flaws,
  } as never);
}

/** The tool of the quiz, with what the test changes. */
export function submitTool(flaws: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    description: 'Submit the answer. The episode ends.',
    input: z.object({ answer: z.string() }),
    run({ answer }: { answer: string }, { task }: { task: Quiz }) {
      return step('Thank you.', { reward: answer === task.answer ? 1 : 0, finished: true });
    },
    ...flaws,
  };
}

const pays = (reward: number) => submitTool({ run: () => step('Thank you.', { reward, finished: true }) });

let begun = 0;

/** A quiz that promises to survive a crash, and does. */
export function durable(durability: 'replay' | 'snapshot', flaws: Record<string, unknown> = {}): Environment {
  const contract =
    durability === 'replay'
      ? { durability }
      : {
          durability,
          save: ({ state }: { state: Memory }) => ({ seen: [...state.seen] }),
          restore: ({ saved }: { saved: { seen: string[] } }) => ({ seen: new Set(saved.seen) }),
        };
  return quiz({
    ...contract,
    setup: (): Memory => ({ seen: new Set() }),
    tools: { submit: submitTool(), look: lookTool },
    ...flaws,
  });
}

interface Memory {
  readonly seen: Set<string>;
}

const lookTool = {
  description: 'Look around.',
  run: (_input: object, { state, random, callId }: { state: Memory; random: () => number; callId: string }) => {
    state.seen.add(callId);
    return `You have looked ${state.seen.size} times, and see ${random()}.`;
  },
};

/** One that gives something else each time. */
function drifting(look: () => string): Environment {
  return durable('replay', { tools: { submit: submitTool(), look: { description: 'Look around.', run: look } } });
}

let looks = 0;

/** Each of them breaks one rule. */
export const BAD: readonly BadEnvironment[] = [
  {
    what: 'has a split without tasks',
    id: 'env/split-empty',
    told: /split 'test' has no tasks/,
    environment: quiz({ splits: { train: CAPITALS, test: [] } }),
  },
  {
    what: 'has more tasks than it says',
    id: 'env/task-count',
    told: /'train' says that it has 2 tasks, and a range gives 3/,
    environment: quiz(),
    breaks: { answer: inBodies('/num_tasks', '"num_tasks":3', '"num_tasks":2') },
  },
  {
    what: 'has a task twice',
    id: 'env/task-duplicate',
    told: /train\[3\] is the same task as train\[0\]/,
    environment: quiz({ splits: { train: [...CAPITALS, { ...CAPITALS[0] }] } }),
  },
  {
    what: 'measures with what it trains on',
    id: 'env/split-overlap',
    told: /test\[0\] is also train\[1\]/,
    environment: quiz({ splits: { train: CAPITALS, test: [CAPITALS[1]] } }),
  },
  {
    what: 'cannot begin one of its tasks',
    id: 'env/start',
    told: /train\[2\] does not begin: .*no Norway/,
    environment: quiz({ setup: refuseNorway }),
  },
  {
    what: 'says nothing',
    id: 'env/prompt-empty',
    told: /the prompt of train\[0\] is empty/,
    environment: quiz({ prompt: () => ' \n' }),
  },
  {
    what: 'says something else each time',
    id: 'env/prompt-unstable',
    told: /train\[0\] has another prompt/,
    environment: quiz({ prompt: () => `Guess what ${crypto.randomUUID()} is.` }),
  },
  {
    what: 'has other tools each time',
    id: 'env/tools-unstable',
    told: /train\[0\] has other tools/,
    environment: quiz({
      tools: { submit: submitTool(), hint: { description: 'Read a hint.', shared: false, run: () => 'No.' } },
      taskTools: () => (begun++ % 2 === 0 ? [] : ['hint']),
    }),
  },
  {
    what: 'has a name that no provider takes',
    id: 'env/tool-name',
    told: /no provider takes the name 'submit answer!'/,
    environment: quiz(),
    breaks: renamedTool('submit', 'submit answer!'),
  },
  {
    what: 'has a name that some agents cannot call over MCP (M21)',
    id: 'env/long-tool-name',
    told: /'submit_{40}' has 46 characters/,
    environment: quiz({ tools: { [`submit${'_'.repeat(40)}`]: submitTool() } }),
  },
  {
    what: 'does not describe a tool',
    id: 'env/tool-description',
    told: /'peek' has no description/,
    environment: quiz({ tools: { submit: submitTool(), peek: { run: () => 'Nothing here.' } } }),
  },
  {
    what: 'does not describe a parameter',
    id: 'env/parameter-description',
    told: /the parameter 'why' of 'submit' has no description/,
    environment: quiz({
      tools: { submit: submitTool({ input: z.object({ answer: z.string().describe('a city'), why: z.string() }) }) },
    }),
  },
  {
    what: 'requires what it does not have',
    id: 'env/tool-schema',
    told: /'submit' requires 'reason'/,
    environment: quiz(),
    breaks: { answer: inBodies('/task_tools', '"required":["answer"]', '"required":["answer","reason"]') },
  },
  {
    what: 'has a pattern that backtracks',
    id: 'env/slow-pattern',
    told: /the pattern \^\(\\w\+\\s\?\)\*\$ of 'answer' in 'submit' can take exponential time/,
    environment: quiz({
      tools: { submit: submitTool({ input: z.object({ answer: z.string().regex(/^(\w+\s?)*$/) }) }) },
    }),
  },
  {
    what: 'asks for what it tells',
    id: 'env/answer-in-prompt',
    told: /answer of train\[0\], "Lisbon", is in its prompt/,
    environment: quiz({
      prompt: ({ task }: { task: Quiz }) => `What is ${task.question}? The city of ${task.answer} is large.`,
    }),
  },
  {
    what: 'tells small numbers each time',
    id: 'env/answer-in-prompt',
    told: /target of train\[0\], 4, is in its prompt \(maybe/,
    environment: quiz({
      splits: { train: [{ target: 4 }, { target: 7 }, { target: 12 }] },
      prompt: ({ task }: { task: { target: number } }) => `Reach ${task.target} points.`,
    }),
  },
  {
    what: 'tells the answer with a tool',
    id: 'env/answer-in-tools',
    told: /answer of train\[2\], "Oslo", is in the texts of its tools/,
    environment: quiz({ tools: { submit: submitTool({ description: 'Submit a city, such as Oslo.' }) } }),
  },
  {
    what: 'breaks at an empty text',
    id: 'env/crash',
    told: /'submit' broke: .*\n {2}tiltyard call http:\S+ submit '\{"answer":"[^"]*"\}' --environment quiz --split train/,
    environment: quiz({ tools: { submit: submitTool({ run: breakAtBlank }) } }),
  },
  {
    what: 'never comes back',
    id: 'env/no-answer',
    told: /'submit' did not answer in time/,
    environment: quiz({ tools: { submit: submitTool({ run: hangAtBlank }) } }),
    timeoutMs: 1500,
  },
  {
    what: 'pays without end',
    id: 'env/reward-number',
    told: /'submit' paid no number: .* reward is Infinity/,
    environment: quiz(),
    breaks: { answer: inBodies('/call', '"reward":0', '"reward":1e999') },
  },
  {
    what: 'pays a hundred',
    id: 'env/reward-range',
    told: /'submit' paid 100, outside of -1 to 1/,
    environment: quiz({ tools: { submit: pays(100) } }),
  },
  {
    what: 'goes on for ever',
    id: 'env/never-ends',
    told: /ended an episode/,
    environment: quiz({ tools: { look: { description: 'Look around.', run: () => step('Nothing.', { reward: 0 }) } } }),
  },
  {
    what: 'has a submit that ends nothing',
    id: 'env/never-ends',
    told: /none of \d+ calls with a result ended an episode/,
    environment: quiz({ tools: { submit: submitTool({ run: () => step('Thank you.', { reward: 0 }) }) } }),
  },
  {
    what: 'has a submit that pays nothing',
    id: 'env/never-pays',
    told: /none of \d+ calls with a result gave a reward, not even 0/,
    environment: quiz({ tools: { submit: submitTool({ run: () => step('Thank you.', { finished: true }) }) } }),
  },
  {
    what: 'has a tool that says nothing',
    id: 'env/empty-output',
    told: /'look' returned nothing for the agent to see\n {2}tiltyard call http:\S+ look/,
    environment: quiz({
      tools: { submit: submitTool(), look: { description: 'Look around.', run: () => '' } },
    }),
  },
  {
    what: 'pays again',
    id: 'env/paid-twice',
    told: /'submit' paid again after the end for \{"answer":"Lisbon"\}/,
    environment: quiz(),
    sessions: { callsAfterFinish: 'allow' },
  },
  {
    what: 'declares replay and reads the clock',
    id: 'env/replay',
    told: /train\[0\]: call 'call-1' of tool 'look' did not give the same result again/,
    environment: drifting(() => `It is ${Date.now()}.`),
  },
  {
    what: 'declares replay and leaves things to chance',
    id: 'env/replay',
    told: /call 'call-1' of tool 'look'/,
    environment: drifting(() => `It is ${Math.random()}.`),
  },
  {
    what: 'declares replay and keeps its state outside of the episode',
    id: 'env/replay',
    told: /call 'call-1' of tool 'look'/,
    environment: drifting(() => {
      looks += 1;
      return `You have looked ${looks} times.`;
    }),
  },
  {
    what: 'saves what JSON cannot hold',
    id: 'env/snapshot',
    told: /train\[0\]: save of environment 'quiz' failed: save returned a Set at 'seen', which JSON cannot hold/,
    environment: durable('snapshot', {
      save: ({ state }: { state: Memory }) => state,
      restore: ({ saved }: { saved: object }) => saved,
    }),
  },
  {
    what: 'saves a number that JSON cannot hold, after a call',
    id: 'env/snapshot',
    told: /train\[0\]: after call-1 of tool 'look' with \{\}, save failed: save returned Infinity at 'seen\[0\]\.worth'/,
    environment: durable('snapshot', {
      save: ({ state }: { state: Memory }) => ({ seen: Array.from(state.seen, () => ({ worth: 1 / 0 })) }),
    }),
  },
  {
    what: 'does not restore all that its tools need',
    id: 'env/snapshot',
    told: /train\[0\]: call-3 of tool 'look' with \{\} breaks once the state is restored/,
    environment: durable('snapshot', { restore: ({ saved }: { saved: object }) => saved }),
  },
  {
    what: 'cannot save its state at all',
    id: 'env/snapshot',
    told: /train\[0\]: save of environment 'quiz' failed: no room/,
    environment: durable('snapshot', {
      save() {
        throw new Error('no room');
      },
    }),
  },
  {
    what: 'cannot save its state after a call',
    id: 'env/snapshot',
    told: /train\[0\]: after call-1 of tool 'look' with \{\}, save failed: no room/,
    environment: durable('snapshot', {
      save({ state }: { state: Memory }) {
        if (state.seen.size > 0) throw new Error('no room');
        return { seen: [] };
      },
    }),
  },
  {
    what: 'leaves errors behind',
    id: 'env/stray-error',
    told: /^Error: late \(math\.ts:12\)$/,
    environment: quiz(),
    strayErrors: ['Error: late (math.ts:12)'],
  },
  {
    what: 'ends its process',
    id: 'env/process-end',
    told: /^the process has ended: it exited with code 3$/,
    environment: quiz(),
    processEnds: ['it exited with code 3'],
  },
];

function refuseNorway({ task }: { task: Quiz }): void {
  if (task.answer === 'Oslo') throw new Error('there is no Norway here');
}

function breakAtBlank({ answer }: { answer: string }): unknown {
  const [first] = answer.trim();
  return step((first as string).toUpperCase(), { reward: 0, finished: true });
}

function hangAtBlank({ answer }: { answer: string }): unknown {
  return answer === '' ? new Promise(() => {}) : step('Thank you.', { reward: 0, finished: true });
}

function inBodies(path: string, from: string, to: string): NonNullable<Break['answer']> {
  return (answer: Returning, request) => {
    if (request.path.endsWith(path)) answer.body = answer.body.replace(from, to);
  };
}

function renamedTool(from: string, to: string): Break {
  return {
    ask(request) {
      if (request.path.endsWith('/call')) request.body = request.body.replace(`"name":"${to}"`, `"name":"${from}"`);
    },
    answer: inBodies('/task_tools', `"name":"${from}"`, `"name":"${to}"`),
  };
}
