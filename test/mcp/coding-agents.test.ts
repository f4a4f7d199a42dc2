import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderWith, run } from '../support/command.ts';
import { startFakeModel } from '../support/model/fake-model.ts';
import type { FakeCall, FakeRequest, Script } from '../support/model/script.ts';
import { needed } from '../support/needed.ts';
import { npmCache } from '../support/npm-cache.ts';
import { episodesOf, eventsOf, filesOf, runFolder } from '../support/runs.ts';
import { CODING_AGENTS, type CodingAgent, homeFor, homeVariables } from './coding-agents.ts';

const REWARD = 0.618_033;

const MODULE = `
  import { environment, step } from 'tiltyard';
  export const quiz = environment({
    name: 'quiz',
    splits: { test: [{ a: 6, b: 7 }, { a: 6, b: 8 }] },
    async setup() {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { isReady: true };
    },
    prompt: ({ task }) => \`What is \${task.a} times \${task.b}?\`,
    tools: {
      look: { description: 'Look around.', run: () => step('A wall.', { reward: ${REWARD} }) },
      submit: {
        description: 'Submit the answer.',
        input: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
        run({ answer }, { task }) {
          const isRight = answer === String(task.a * task.b);
          return step(isRight ? 'Right.' : 'Wrong.', { reward: isRight ? 1 : 0, finished: true });
        },
      },
    },
  });
`;

/** Looks, submits, and then has nothing more to do. The conversation decides, since programs ask their model for other things as well. */
const script: Script = ({ body, number }) => {
  const said = JSON.stringify(body);
  const [look, submit] = [findTool(body, 'look'), findTool(body, 'submit')];
  // A program that does not understand a call shall not ask for ever.
  if (look === undefined || submit === undefined || said.includes('Right.') || number > 30) return { text: 'Done.' };
  if (!said.includes('A wall.')) return { calls: [{ ...look, id: `call-${number}` }] };
  const [, a, b] = /What is (\d+) times (\d+)/.exec(said) ?? [];
  return { calls: [{ ...submit, id: `call-${number}`, input: { answer: String(Number(a) * Number(b)) } }] };
};

/** A tool of ours under the name that the program has told its model. */
function findTool(body: any, tool: string): FakeCall | undefined {
  const group = body.tools?.find((each: any) => each.tools?.some(({ name }: any) => name === tool));
  if (group !== undefined) return { name: tool, namespace: group.name };
  const [, name] = new RegExp(`"name":"([\\w-]*${tool})"`).exec(JSON.stringify(body.tools)) ?? [];
  return name === undefined ? undefined : { name };
}

/** Where the programs are; throws `NotInstalled`. */
async function programsOf({ cli, packages }: CodingAgent): Promise<string> {
  return join(await npmCache(`coding-agent-${cli}`, packages), '.bin');
}

describe.each(CODING_AGENTS)('the real $cli', (agent) => {
  let installed: Promise<string>;
  beforeAll(async () => {
    installed = programsOf(agent);
    // Whether that failed is for the test to say.
    await installed.catch(() => {});
  }, 300_000);

  test('Q22, Q23: plays episodes with its preset, to their rewards, which its model never sees', async (context) => {
    const bin = await needed(context, `the coding agent ${agent.cli}`, () => installed);
    const model = await startFakeModel(script);
    const configured = agent.configure(model.origin);
    const HOME = await homeFor(configured);
    const env = { ...configured.env, ...homeVariables(HOME), PATH: `${bin}:${process.env.PATH}` };
    const folder = await folderWith({ 'quiz.ts': MODULE });
    const out = runFolder();
    const options = ['--n', '2', '--out', out, '--json', '--agent-cli', agent.cli, '--', ...(configured.args ?? [])];
    const played = run(['run', join(folder, 'quiz.ts'), ...options], env);
    const code = await played.exit;
    const told = (await filesOf(out).catch(() => undefined))?.get('episodes.jsonl');
    expect(code, `${played.output()}\n${told}`).toBe(0);
    expect(JSON.parse(played.stdout()), told).toMatchObject({ reward: { mean: 1 + REWARD }, coverage: 1 });
    expect(await episodesOf(out)).toMatchObject([0, 1].map(() => ({ stop: 'finished', reward: 1 + REWARD, steps: 2 })));
    for (const index of [0, 1]) {
      const events = await eventsOf(out, index);
      expect(events.map(({ type }) => type)).toEqual(RECORD);
      // A busy machine may take longer to end it than it is given.
      expect(JSON.stringify(events.find(({ type }) => type === 'note'))).toMatch(
        /the command (exited with 0|was ended)/,
      );
    }
    expect(model.requests.map(({ wire }) => wire)).toContain(agent.wire);
    expect(JSON.stringify(model.requests.map(({ body }: FakeRequest) => body))).not.toContain('618033');
  }, 240_000);
});

const RECORD = ['episode', 'prompt', 'call', 'result', 'call', 'result', 'note', 'end'];
