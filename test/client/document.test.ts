import { expect, test } from 'vitest';
import { gsm8k } from '../../examples/gsm8k/environment.ts';
import { paragraphsOf, printedBy, promisesOf, readText, unindented } from '../support/documents.ts';
import { startServer } from '../support/http.ts';
import { guide } from './guide.ts';

const code = readText('test/client/guide.ts');

test('every paragraph of code in docs/client.md is in the guide, word for word', () => {
  const paragraphs = paragraphsOf(readText('docs/client.md'));
  expect(paragraphs.length).toBeGreaterThan(9);
  for (const paragraph of paragraphs) expect(unindented(code)).toContain(paragraph);
});

test('the guide prints what its comments say', async () => {
  const { url } = await startServer({ environments: [gsm8k] });
  const printed = await printedBy(() => guide(url));
  expect(printed.sort()).toEqual(promisesOf(code).sort());
});
