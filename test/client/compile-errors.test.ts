import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, ROOT } from '../support/command.ts';
import { runToEnd } from '../support/program.ts';

const PROGRAM = `
import { environment } from 'tiltyard';
import { type Client, connect, type Session, type SessionRequest } from 'tiltyard/client';
import { z } from 'zod';
const typed = environment({
  name: 'typed',
  task: z.object({ question: z.string() }),
  splits: { train: [{ question: 'q' }] },
  prompt: ({ task }) => task.question,
  tools: { submit: { input: z.object({ answer: z.string() }), run: ({ answer }) => answer } },
});
const client = connect<typeof typed>('http://localhost:8080');
`;

// What must go on to compile: requests by their name, also of an environment that is not known yet.
const RIGHT = `
export const begin = <Env>(to: Client<Env>, request: SessionRequest<Env>): Promise<Session<Env>> => to.session(request);
export const named: SessionRequest<typeof typed> = Math.random() < 0.5 ? { split: 'a', index: 0 } : { task: { question: 'q' } };
void client.session(named);
void client.environment('typed').session({ ...named, timeoutMs: 5 });
void connect('http://localhost:8080').session({ task: { any: 'thing' }, secrets: {} });
`;

/** What the compiler says of a user's program, which has the declarations of the build. */
async function compile(lines: string): Promise<string> {
  const tsconfig = JSON.stringify({
    extends: '../tsconfig.json',
    compilerOptions: { customConditions: [], noEmit: true },
    include: ['program.ts'],
  });
  const folder = await folderWith({ 'program.ts': `${PROGRAM}${RIGHT}${lines}`, 'tsconfig.json': tsconfig });
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  return (await runToEnd(folder, process.execPath, [compiler, '-p', '.', '--pretty', 'false'])).text;
}

test.each(['client', "client.environment('typed')"])(
  'the compile error of a session without a task shows what to write: %s',
  async (what) => {
    const [error, ...more] = (await compile(`void ${what}.session({});`)).trim().split('\n');
    expect(error).toContain(
      "parameter of type '({ readonly split: string; readonly index: number; } | { readonly task: { question: string; } & object; }) & SessionOptions'",
    );
    expect(error).not.toMatch(/Zod|Environment</);
    expect(more).toEqual([]);
  },
);

test('right requests compile', async () => {
  expect(await compile('')).toBe('');
});
