import { type Environment, SetupError, step, ToolError } from 'tiltyard';
import { createServer, type ServerOptions } from 'tiltyard/server';
import { lintEnvironment } from 'tiltyard/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { lintRules } from '../../src/checking/lint/lint.ts';
import { startBreaking } from '../referee/oxp-proxy.ts';
import { BAD, durable, quiz, submitTool } from './bad-environments.ts';

async function serve(environments: readonly Environment[], options: ServerOptions = {}): Promise<string> {
  const server = await createServer({ environments, logger: false, ...options });
  onTestFinished(() => server.close());
  return server.listen();
}

function raise(message: string): never {
  throw new Error(message);
}

async function failuresOf(options: Parameters<typeof lintEnvironment>[0]) {
  const findings = await lintEnvironment(options);
  return findings.filter(({ verdict }) => verdict === 'fail');
}

describe('an environment that', () => {
  test.each(BAD)('$what breaks $id, and nothing else', async ({ id, told, environment, breaks, ...how }) => {
    const { sessions = {}, timeoutMs, strayErrors = [], processEnds = [] } = how;
    const heard = [{ strayErrors, processEnds }];
    const own = await serve([environment], { sessions });
    const url = breaks === undefined ? own : await startBreaking(own, breaks);
    const failures = await failuresOf({
      ...{ url, definitions: [environment], isActive: true, maxCalls: 20, timeoutMs },
      takeIncidents: () => heard.pop() ?? { strayErrors: [], processEnds: [] },
    });
    expect(failures.map((failure) => [failure.id, failure.reason])).toEqual([[id, expect.stringMatching(told)]]);
  });

  test('has no flaw passes', async () => {
    expect(await failuresOf({ url: await serve([quiz()]), isActive: true })).toEqual([]);
  });

  test.each([durable('replay'), durable('snapshot')])(
    'keeps its promise of $durability passes',
    async (environment) => {
      const url = await serve([environment]);
      const findings = await lintEnvironment({ url, definitions: [environment], isActive: true });
      expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      expect(findings).toContainEqual(
        expect.objectContaining({ id: `env/${environment.durability}`, verdict: 'pass' }),
      );
    },
  );
});

test('every rule is broken by some environment', () => {
  expect(new Set(BAD.map(({ id }) => id))).toEqual(new Set(lintRules.map(({ id }) => id)));
});

describe('no answer is told by', () => {
  test('a prompt that offers all answers as choices', async () => {
    const environment = quiz({ prompt: () => 'Which one is it: Lisbon, Vienna or Oslo?' });
    expect(await failuresOf({ url: await serve([environment]) })).toEqual([]);
  });

  test('a small number that is in one prompt by chance', async () => {
    const tasks = [12, 5, 9].map((answer, at) => ({ question: `the sum of 4, ${at} and 5`, answer }));
    expect(await failuresOf({ url: await serve([quiz({ splits: { train: tasks } })]) })).toEqual([]);
  });

  test('a longer word or number that has it inside', async () => {
    const tasks = [{ question: 'the river of Lisbonne, in 42.1920 km', answer: 'Lisbon', expected: 1920 }];
    expect(await failuresOf({ url: await serve([quiz({ splits: { train: tasks } })]) })).toEqual([]);
  });
});

describe('the lint', () => {
  test('calls no tool unless it may', async () => {
    let calls = 0;
    const run = () => {
      calls += 1;
      return 'Thank you.';
    };
    const url = await serve([quiz({ tools: { submit: submitTool({ run }) } })]);
    const findings = await lintEnvironment({ url });
    expect(calls).toBe(0);
    const skipped = findings.flatMap(({ verdict, id }) => (verdict === 'skip' ? [id] : []));
    expect(skipped).toEqual(expect.arrayContaining(lintRules.flatMap(({ id, isActive }) => (isActive ? [id] : []))));
    await lintEnvironment({ url, isActive: true });
    expect(calls).toBeGreaterThan(0);
  });

  test('sends the same inputs for the same seed, and others for another', async () => {
    const inputs: string[] = [];
    const run = (input: object) => {
      inputs.push(JSON.stringify(input));
      return 'Go on.';
    };
    const url = await serve([quiz({ tools: { submit: submitTool({ run }) } })]);
    const sent = async (seed: number) => {
      inputs.length = 0;
      await lintEnvironment({ url, isActive: true, seed });
      return [...inputs];
    };
    const first = await sent(7);
    expect(await sent(7)).toEqual(first);
    expect(await sent(8)).not.toEqual(first);
  });

  test('says what a forgotten return in submit spoils', async () => {
    const run = () => undefined;
    const failures = await failuresOf({
      url: await serve([quiz({ tools: { submit: submitTool({ run }) } })]),
      isActive: true,
    });
    expect(failures.map(({ id }) => id)).toEqual(['env/never-ends', 'env/never-pays', 'env/empty-output']);
  });

  test('does not judge a submit that took none of the inputs', async () => {
    const run = () => {
      throw new ToolError('Not like that');
    };
    const findings = await lintEnvironment({
      url: await serve([
        quiz({
          tools: { submit: submitTool({ run }), look: { description: 'Look.', run: () => 'Nothing.' } },
        }),
      ]),
      isActive: true,
    });
    const ends = findings.find(({ id }) => id === 'env/never-ends');
    expect(ends).toMatchObject({ verdict: 'skip', reason: expect.stringContaining("'submit' refused every input") });
  });

  test('fails, whatever counts, if no episode begins', async () => {
    const setup = () => {
      throw new SetupError('TOKEN is missing', { status: 401 });
    };
    const failures = await failuresOf({ url: await serve([quiz({ setup })]), isActive: true });
    expect(failures.map(({ id, level }) => [id, level])).toEqual([['env/start', 'specified']]);
    expect(failures[0]?.reason).toMatch(
      /^no episode began, so nothing else .*\ntrain\[0\] does not begin: .*TOKEN is missing/,
    );
  });

  test.each([
    ['setup', { setup: () => raise('no setup') }, /^check `setup` with this task; send a secret/],
    ['a prompt that returns nothing', { prompt: () => {} }, /^check `prompt` with this task: it must return text/],
    ['a prompt that throws', { prompt: () => raise('no prompt') }, /^check `prompt` with this task/],
    ['a task', { task: z.object({ question: z.number(), answer: z.string() }) }, /^mend this task/],
    [
      'one thing here, and another there',
      {
        setup: ({ task }: { task: { answer: string } }) => task.answer === 'Oslo' && raise('no setup'),
        prompt: () => raise('no prompt'),
      },
      /^check `setup` and `prompt` with this task/,
    ],
  ])('blames what failed: %s', async (_, flaws, advice) => {
    const failures = await failuresOf({ url: await serve([quiz(flaws)]) });
    const start = failures.find(({ id }) => id === 'env/start');
    expect(start?.advice).toMatch(advice);
  });

  test('fails, whatever counts, if there is no task', async () => {
    const failures = await failuresOf({ url: await serve([quiz({ splits: { train: [] } })]) });
    expect(failures.map(({ id, level }) => [id, level])).toEqual([
      ['env/split-empty', 'hardening'],
      ['env/start', 'specified'],
    ]);
  });

  test('begins episodes with the secrets of its caller, and names them in the commands that it shows', async () => {
    const setup = ({ secrets }: { secrets: Record<string, string> }) => {
      if (secrets.TOKEN !== 'sk-1') throw new SetupError('TOKEN is missing', { status: 401 });
    };
    const tools = { submit: submitTool({ run: () => step('Paid.', { reward: 5, finished: true }) }) };
    const url = await serve([quiz({ setup, tools })]);
    const failures = await failuresOf({ url, isActive: true, secrets: { TOKEN: 'sk-1' } });
    expect(failures.map(({ id }) => id)).toEqual(['env/reward-range']);
    expect(failures[0]?.reason).toContain('--secret TOKEN');
    expect(failures[0]?.reason).not.toContain('sk-1');
  });

  test('takes the range of rewards from its caller', async () => {
    const environment = BAD.find(({ id }) => id === 'env/reward-range')?.environment as Environment;
    const url = await serve([environment]);
    expect(await failuresOf({ url, isActive: true, rewardRange: [0, 100] })).toEqual([]);
  });

  test('looks at all environments of a server, or at the one that is named', async () => {
    const url = await serve([quiz(), quiz({ name: 'other' })], { auth: { apiKeys: ['a-key'] } });
    const groups = async (environment?: string) =>
      new Set((await lintEnvironment({ url, apiKey: 'a-key', environment })).map(({ group }) => group));
    expect(await groups()).toEqual(new Set(["Environment 'quiz'", "Environment 'other'"]));
    expect(await groups('other')).toEqual(new Set(["Environment 'other'"]));
    await expect(lintEnvironment({ url, apiKey: 'wrong' })).rejects.toThrow('401');
  });

  test('tells of an environment that does not answer, and judges the others', async () => {
    const own = await serve([quiz({ name: 'dumb' }), quiz({ splits: { train: [{ answer: 'Rome' }], test: [] } })]);
    const url = await startBreaking(own, {
      answer(answer, { path }) {
        if (path === '/dumb/splits') answer.status = 400;
      },
    });
    const failures = await failuresOf({ url });
    expect(failures.map(({ group, id }) => `${group} ${id}`)).toEqual([
      "Environment 'dumb' env/start",
      "Environment 'quiz' env/split-empty",
    ]);
    expect(failures[0]?.reason).toMatch(/^its splits cannot be read: .*400/);
    await expect(lintEnvironment({ url, environment: 'nope' })).rejects.toThrow('nope');
  });

  test('tells when no episode begins any more, and judges the calls before that', async () => {
    let isBroken = false;
    const own = await serve([quiz({ tools: { submit: submitTool({ run: () => step('Paid.', { reward: 5 }) }) } })]);
    const url = await startBreaking(own, {
      answer(answer, { path }) {
        if (path === '/create' && isBroken) answer.status = 400;
        isBroken ||= path === '/quiz/call';
      },
    });
    const failures = await failuresOf({ url, isActive: true });
    expect(failures.map(({ id }) => id)).toEqual(['env/no-answer', 'env/reward-range']);
    expect(failures[0]?.reason).toMatch(/^no episode begins any more: .*400/);
  });

  test('stops when it is told to', async () => {
    const stop = new AbortController();
    const environment = quiz({
      setup() {
        stop.abort(new Error('enough'));
      },
    });
    await expect(lintEnvironment({ url: await serve([environment]), signal: stop.signal })).rejects.toThrow('enough');
  });
});
