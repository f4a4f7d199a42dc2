import { createServer, type Server } from 'tiltyard/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConsoles, runCurl } from '../../examples/test-support/console.ts';
import { sums } from '../../examples/toolkit/environment.ts';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { paragraphsOf, printedBy, promisesOf, readText, unindented } from '../support/documents.ts';
import { oxpGuide, serveGuide } from './oxp-guide.ts';

const document = readText('docs/tools.md');
const guide = readText('test/client/oxp-guide.ts');

let server: Server;

beforeAll(async () => {
  const toolkits = [calculator, doorbell, messages];
  server = await createServer({ toolkits, environments: [sums], logger: false });
  await server.listen();
});

afterAll(() => server.close());

test('every paragraph of code in docs/tools.md is in the example or in the guide, word for word', () => {
  const examples = ['toolkit', 'environment'].map((name) => readText(`examples/toolkit/${name}.ts`));
  // Documents show no comments of the code.
  const code = [guide, ...examples].map((text) => unindented(text.replace(/^\/\*\*.*\*\/\n/gm, ''))).join('\n');
  const paragraphs = paragraphsOf(document);
  expect(paragraphs.length).toBeGreaterThan(9);
  for (const paragraph of paragraphs) expect(code).toContain(paragraph);
});

test('the guide prints what its comments say', async () => {
  expect(await printedBy(() => oxpGuide(server.url))).toEqual(promisesOf(guide));
});

test('the server of the guide takes a token', async () => {
  expect(await printedBy(() => serveGuide('a shared secret of 32 bytes, or more'))).toEqual(['5']);
});

test('what docs/tools.md shows is what the server answers', async () => {
  const consoles = readConsoles(document);
  expect(consoles.length).toBeGreaterThan(5);
  for (const { command, answer } of consoles) expect(await runCurl(command, server.url), command).toBe(answer);
});
