import { expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { episodesOf, runFolder } from '../support/runs.ts';
import { secureFront } from '../support/secure-front.ts';
import { newCounts, questions, serveQuiz } from './quiz.ts';

test('Q5: a run plays on a server behind HTTPS, over connections that it uses again', async () => {
  const counts = newCounts();
  const front = await secureFront(await serveQuiz(questions(20), counts));
  const out = runFolder();
  const args = ['run', front.url, '--policy', 'random', '--n', '20', '--concurrency', '4', '--out', out];
  const command = run(args, { NODE_EXTRA_CA_CERTS: front.certificate });
  expect(await command.exit, command.output()).toBe(0);
  expect((await episodesOf(out)).filter(({ reward }) => reward !== null)).toHaveLength(20);
  expect(counts.open).toBe(0);
  // Some for the client before the run, and no more than one for each that plays at a time.
  expect(front.connections()).toBeLessThan(12);
});

test('Q5: a server whose certificate nobody vouches for is not talked to, and the reason is told', async () => {
  const counts = newCounts();
  const front = await secureFront(await serveQuiz(questions(2), counts));
  const command = run(['run', front.url, '--policy', 'random', '--n', '2', '--out', runFolder()]);
  expect(await command.exit).not.toBe(0);
  expect(command.output()).toMatch(
    /the certificate of localhost:\d+ is not trusted here: self-signed.*NODE_EXTRA_CA_CERTS/,
  );
  expect(front.connections()).toBe(0);
});
