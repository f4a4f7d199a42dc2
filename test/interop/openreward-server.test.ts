import { expect, test } from 'vitest';
import { describeWithPython, shareOfficialServer } from './python.ts';
import { connectTo, countsOf, taggedTask, testCommonServerFlows, testSlowOfficialSetup } from './server-flows.ts';

describeWithPython('our client at the server of openreward 0.1.167', () => {
  const serverUrl = shareOfficialServer('openreward');
  testCommonServerFlows(serverUrl);

  test('K10: a call after the end of the episode is refused with its reason', async () => {
    await using session = await connectTo(serverUrl()).session({ task: taggedTask('finished') });
    expect((await session.call('submit', { answer: '6' })).finished).toBe(true);
    await expect(session.call('submit', { answer: '6' })).rejects.toMatchObject({
      name: 'ToolCallError',
      reason: 'episode_finished',
    });
    expect(await countsOf(serverUrl(), 'finished')).toMatchObject({ submit: 1 });
  });

  testSlowOfficialSetup(serverUrl);
});
