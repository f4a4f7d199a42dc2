import { expect, test } from 'vitest';
import type { PlaySubject } from '../../src/studio/api.ts';
import { openStudio } from '../studio/studio-client.ts';
import { tableOf } from '../studio/table.ts';
import { describeWithPython, type Sdk, shareOfficialServer } from './python.ts';

for (const sdk of ['ors', 'openreward'] satisfies Sdk[])
  describeWithPython(`the studio at the server of ${sdk}`, () => {
    const serverUrl = shareOfficialServer(sdk);

    test('U1, U2, U3: an episode is played to its reward, and rewound', async () => {
      const url = serverUrl();
      const studio = await openStudio({ targets: [{ name: url, url, apiKey: '', isModule: false }] });
      const params = { target: 't1', environment: 'math' };
      expect(await studio.ask('POST /api/targets/:target/look', params)).toMatchObject({
        status: 'up',
        protocols: ['ors'],
        make: 'foreign',
        live: 'foreign',
      });
      const info = await studio.ask('GET /api/targets/:target/environments/:environment', params);
      expect(info.splits[0]).toEqual({ name: 'train', type: 'train', count: 10 });
      const subject: PlaySubject = { kind: 'episode', environment: 'math', choice: { split: 'train', index: 3 } };
      const { id } = await studio.ask('POST /api/plays', {}, { body: { target: 't1', subject } });
      const table = tableOf(studio, id);
      expect(await table.ready()).toMatchObject({ status: 'ready', prompt: [{ type: 'text' }, { type: 'image' }] });
      expect((await table.call('nobody')).problem).toMatchObject({ kind: 'refused' });
      expect((await table.call('boom')).problem).toMatchObject({ kind: 'environment' });
      expect(await table.call('submit', { answer: '6' })).toMatchObject({ result: { reward: 1, finished: true } });
      const branch = await studio.ask('POST /api/plays/:play/branch', { play: id }, { body: { keep: 2 } });
      const again = tableOf(studio, branch.id);
      expect(await again.ready()).toMatchObject({ status: 'ready', stepCount: 2, divergences: 0 });
      expect(await again.call('submit', { answer: '7' })).toMatchObject({ result: { reward: 0 } });
      expect((await studio.ask('GET /api/plays/:play/steps/:step/wire', { play: id, step: 2 }))[0]).toMatchObject({
        response: { status: 200, body: expect.stringContaining('event: end') },
      });
    });
  });
