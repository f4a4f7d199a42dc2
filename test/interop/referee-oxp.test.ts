import { expect, test } from 'vitest';
import { detectOxp } from '../../src/testing/referee/oxp/index.ts';
import { Recorder } from '../../src/testing/referee/recorder.ts';
import { examineOxp, idsOf, toOptions } from '../referee/oxp-examine.ts';
import { describeWithPython, shareLangChainServer } from './python.ts';

// What its dialect does in another way: the baseline of a server that is no worse than it was.
const KNOWN_FAILURES: Readonly<Record<string, string>> = {
  O2: 'lists tools in a bare array',
  O3: 'ids have no toolkit and no version',
  O6: 'results have no envelope',
  V3: 'never says which version it speaks',
  T4: 'answers 403 to unknown tools',
  E1: 'answers 422 to bodies that are no JSON',
  E2: 'refuses inputs with 400',
  E3: 'answers 500 to a tool that throws',
};

describeWithPython('the referee at the tool server of LangChain, langchain-tool-server 0.2.3', () => {
  const serverUrl = shareLangChainServer();

  test('it is taken for a server of OXP', async () => {
    expect(await detectOxp(new Recorder(toOptions(serverUrl())))).toBe(true);
  });

  test('it fails where its dialect differs, and nowhere else', async () => {
    const findings = await examineOxp(serverUrl());
    expect(idsOf(findings, 'fail')).toEqual(Object.keys(KNOWN_FAILURES));
  });
});
