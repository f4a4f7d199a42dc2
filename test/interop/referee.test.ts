import { readFileSync, writeFileSync } from 'node:fs';
import { keyOf, type Verdict } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { shareServer } from '../support/http.ts';
import { describeWithPython, shareLangChainServer, shareOfficialServer } from './python.ts';
import { checkBeside, readBaseline, toScores } from './referee.ts';

const DOCUMENT = new URL('../../docs/interop.md', import.meta.url);
const SECTION = /(?<=<!-- scores: begin -->\n).*(?=\n<!-- scores: end -->)/s;

describeWithPython('the referee at the servers of others', () => {
  const ors = shareOfficialServer('ors');
  const openreward = shareOfficialServer('openreward');
  const langchain = shareLangChainServer();
  const ours = shareServer({ toolkits: [calculator, doorbell, messages] });
  const servers: readonly (readonly [name: string, url: () => string, baseline: string | undefined])[] = [
    ['tiltyard', () => ours().url, undefined],
    ['`ors-sdk` 0.1.0', ors, 'ors-sdk'],
    ['`openreward` 0.1.167', openreward, 'openreward'],
    ['`langchain-tool-server` 0.2.3', langchain, 'langchain-tool-server'],
  ];
  const verdicts = new Map<string, Verdict>();

  test.each(servers)('%s fails what it is known to fail, and nothing else', async (name, url, baseline) => {
    const known = baseline === undefined ? [] : readBaseline(baseline);
    const verdict = await checkBeside(url(), known);
    verdicts.set(name, verdict);
    const failed = verdict.judgements.filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ protocol, id }) => keyOf(protocol, id)).sort()).toEqual(known.map(({ id }) => id).sort());
  });

  // UPDATE_DOCS=1 rewrites the section.
  test('the scores in the document are those of the servers', () => {
    const scores = toScores([...verdicts].map(([name, verdict]) => ({ name, verdict })));
    const document = readFileSync(DOCUMENT, 'utf8');
    if (process.env.UPDATE_DOCS === '1')
      writeFileSync(
        DOCUMENT,
        document.replace(SECTION, () => scores),
      );
    else expect(SECTION.exec(document)?.[0]).toBe(scores);
  });
});
