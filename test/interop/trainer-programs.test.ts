import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gridworld } from '../../examples/gridworld/environment.ts';
import { gsm8k } from '../../examples/gsm8k/environment.ts';
import { hello } from '../../examples/hello/environment.ts';
import { startServer } from '../support/http.ts';
import { startFakeModel } from '../support/model/fake-model.ts';
import { runFolder } from '../support/runs.ts';
import { describeWithTrainers } from './python.ts';
import { runPython } from './trainers.ts';

const document = await readFile(new URL('../../docs/interop.md', import.meta.url), 'utf8');

describeWithTrainers('the programs of docs/interop.md run as they are written', () => {
  test('TRL', async () => {
    const { stdout, stderr } = await runPython(['-c', programOf('TRL', 'python')], await serve());
    expect(stdout.trim().split('\n'), stderr).toEqual(['Greet Ada by name.', 'How kind!', '[1.0]']);
  });

  test('Inspect', async () => {
    const server = await serve();
    const model = await startGreeter();
    const variables = { ...model.variables, INSPECT_DISPLAY: 'none', INSPECT_LOG_DIR: runFolder() };
    const { stdout, stderr } = await runPython(['-c', programOf('Inspect', 'python')], { ...server, variables });
    expect(stdout.trim(), stderr).toBe('mean reward: 1.0');
    expect(model.requests.every(({ body }) => body.model === 'gpt-5')).toBe(true);
  });

  test('firehorse', async () => {
    const server = await serve();
    const model = await startGreeter();
    const out = runFolder();
    const [command, ...args] = programOf('firehorse', 'sh').replace(' trials', ` ${out}`).trim().split(/\s+/);
    expect(command).toBe('firehorse');
    // The command of the environment names the folder in which it was made; the module is the same program.
    const ran = await runPython(['-m', 'firehorse.cli', ...args], { ...server, variables: model.variables });
    expect(ran.code, ran.stderr).toBe(0);
    const { trials } = JSON.parse(await readFile(join(out, 'run_result.json'), 'utf8'));
    expect(trials.map(({ final_reward: reward }: { final_reward: number }) => reward)).toEqual([1, 1]);
  });
});

function programOf(heading: string, language: string): string {
  const pattern = new RegExp(`\n### ${heading}\n.*?\`\`\`${language}\n(.*?)\`\`\``, 's');
  const [, program] = pattern.exec(document) ?? [];
  if (program === undefined) throw new Error(`docs/interop.md has no program in ${language} under '${heading}'`);
  return program;
}

/** The environments of `npm start`. */
async function serve(): Promise<{ url: string }> {
  const { url } = await startServer({ environments: [gsm8k, hello, gridworld] });
  return { url };
}

/** A model that greets whom it is asked to greet, and the variables that lead OpenAI's SDK to it. */
async function startGreeter() {
  const model = await startFakeModel(({ body, turn }) => {
    const [, name = ''] = /Greet (\w+) by name/.exec(JSON.stringify(body)) ?? [];
    return turn === 0 ? { calls: [{ name: 'say', input: { sentence: `Hello, ${name}!` } }] } : { text: 'Done.' };
  });
  const [, baseUrl = ''] = model.name('openai-responses').split('@');
  return { requests: model.requests, variables: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: baseUrl } };
}
