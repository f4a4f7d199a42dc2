import { cassette } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { newFolder, onlyRecordIn } from '../records/folders.ts';
import { startServer } from '../support/http.ts';
import { EPISODE } from './client-flows.ts';
import { describeWithPython, shareFlows } from './python.ts';

describeWithPython('records of the official clients', () => {
  const run = shareFlows();

  test.each(['ors', 'openreward'] as const)(
    'Q3, Q4: an episode of %s is recorded, and a cassette plays it',
    async (sdk) => {
      const folder = newFolder();
      const { url, server } = await startServer({ record: { folder } });
      const client = { sdk, mode: 'sync' } as const;
      expect(await run('episode_by_index', { ...client, url })).toEqual(EPISODE);
      await server.close();
      expect(await onlyRecordIn(folder)).toMatchObject([
        { type: 'episode', environment: 'math', split: 'train', index: 3 },
        { type: 'prompt', blocks: EPISODE.prompt },
        { type: 'call', tool: 'details' },
        { type: 'result', outcome: 'returned', ...EPISODE.details },
        { type: 'call', tool: 'submit', input: { answer: '6' } },
        { type: 'result', outcome: 'returned', ...EPISODE.submit },
        { type: 'end', outcome: 'finished', rewards: { sum: 1.5 } },
      ]);
      await using tape = await cassette(folder);
      expect(await run('episode_by_index', { ...client, url: tape.url })).toEqual(EPISODE);
    },
  );
});
