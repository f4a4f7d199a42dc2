import { expect, test } from 'vitest';
import { describeWithPython, shareOfficialServer } from './python.ts';
import { connectTo, countsOf, taggedTask, testCommonServerFlows, testSlowOfficialSetup } from './server-flows.ts';

describeWithPython('our client at the server of ors-sdk 0.1.0', () => {
  const serverUrl = shareOfficialServer('ors');
  testCommonServerFlows(serverUrl);

  test('quirk: the server runs calls after the end of the episode', async () => {
    await using session = await connectTo(serverUrl()).session({ task: taggedTask('finished') });
    expect((await session.call('submit', { answer: '6' })).finished).toBe(true);
    expect((await session.call('submit', { answer: '6' })).finished).toBe(true);
    expect(await countsOf(serverUrl(), 'finished')).toMatchObject({ submit: 2 });
  });

  testSlowOfficialSetup(serverUrl);
});
