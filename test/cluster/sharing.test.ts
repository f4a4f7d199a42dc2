import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/command.ts';
import { add, insist, type Node, PATIENCE, SOON, startNodes, textOf } from './nodes.ts';
import { CURRENT, describeWithNats, type NatsKind, PACKAGED } from './with-nats.ts';

for (const kind of [PACKAGED, CURRENT] satisfies NatsKind[]) {
  await describeWithNats(kind, (startNats) => {
    test('N1: any node answers any session', PATIENCE, async () => {
      const nats = await startNats();
      const nodes = await startNodes(nats.url, 3);
      const [one, two, three] = nodes as [Node, Node, Node];
      const sid = await one.create();
      let total = 0;
      for (const node of [one, two, three, one, two, three]) {
        total += 1;
        // Without an id of its own, as official clients call.
        const answer = await node.call(sid, 'add', { amount: 1 }, { env: 'tally' });
        expect(textOf(answer)).toBe(`total ${total}`);
        expect(answer.taskId).toMatch(/^[0-9a-f]{32}$/);
      }
      for (const node of nodes) {
        expect((await node.get('/tally/prompt', { sid })).json).toMatchObject([{ text: 'Add.' }]);
        expect((await node.get('/tally/task_tools', { sid })).json.tools).toHaveLength(4);
        expect((await node.post('/ping', {}, { sid })).status).toBe(200);
      }
      const instances = await Promise.all(nodes.map((node) => node.get('/health')));
      expect(new Set(instances.map(({ headers }) => headers.get('x-tiltyard-instance'))).size).toBe(1);
      // What one node was told under an id, another one tells again.
      const told = await one.call(sid, 'add', { amount: 5 }, { env: 'tally', taskId: 'mine' });
      for (const node of [two, three])
        expect((await node.call(sid, 'add', { amount: 5 }, { env: 'tally', taskId: 'mine' })).text).toBe(told.text);
      // A created session is not created anew, and an official client that repeats /create has it.
      const fresh = await two.create();
      expect((await three.post('/create', { split: 'train', index: 0 }, { sid: fresh })).status).toBe(200);
      expect((await three.post('/create', { split: 'train', index: 0 }, { sid })).json.code).toBe('session_exists');
      expect((await two.post('/delete', {}, { sid })).status).toBe(200);
      for (const node of nodes) {
        expect((await node.post('/ping', {}, { sid })).json).toMatchObject({ code: 'session_gone' });
        expect((await node.call(sid, 'add', { amount: 1 }, { env: 'tally' })).status).toBe(410);
        expect((await node.call('never', 'add', { amount: 1 }, { env: 'tally' })).status).toBe(404);
      }
      // An id that was deleted can be used again, from anywhere.
      await three.create({ split: 'train', index: 0 }, sid);
      expect(await add(nodes, sid, 1)).toBe('total 1');
    });

    test('N1: results and inputs beyond the limit of one message cross', PATIENCE, async () => {
      const nats = await startNats();
      const nodes = await startNodes(nats.url, 2, { limits: { maxOutputBytes: 4_000_000 } });
      const sid = await (nodes[0] as Node).create();
      for (const node of nodes) {
        const taskId = crypto.randomUUID();
        const told = await insist([node], sid, 'big', { characters: 3_000_000 }, { taskId });
        expect(told.length).toBe(3_000_000);
        expect(await insist(nodes, sid, 'big', { characters: 3_000_000 }, { taskId })).toBe(told);
      }
    });

    test('N8: new sessions go to the less loaded', PATIENCE, async () => {
      const nats = await startNats();
      const nodes = await startNodes(nats.url, 3);
      const [first] = nodes as [Node];
      for (let count = 0; count < 30; count += 1) await first.create();
      const live = () => Promise.all(nodes.map((node) => node.metric('tiltyard_sessions_live{environment="tally"}')));
      // One that was taken for dead for a moment has to find out first that others have its sessions.
      await expect.poll(async () => (await live()).reduce((sum, each) => sum + each), SOON).toBe(30);
      for (const each of await live()) expect(each).toBeGreaterThanOrEqual(5);
    });

    test('N12: identities, scopes and limits hold across nodes', PATIENCE, async () => {
      const nats = await startNats();
      const folder = await folderWith({});
      const file = join(folder, 'keys.json');
      const keys = [
        { key: 'key-of-anna-0123456789', identity: 'anna' },
        { key: 'key-of-bert-0123456789', identity: 'bert' },
        { key: 'key-of-agent-0123456789', identity: 'anna', scopes: ['agent'] },
      ];
      await writeFile(file, JSON.stringify(keys));
      const env = { TILTYARD_API_KEYS_FILE: file };
      const limits = { maxSessionsPerIdentity: 4 };
      const nodes = await startNodes(nats.url, 2, { env, limits, apiKey: 'key-of-anna-0123456789' });
      const [one, two] = nodes as [Node, Node];
      const of = (key: string) => ({ headers: { 'x-api-key': key } });
      const [anna, bert, agent] = keys.map(({ key }) => of(key)) as [object, object, object];
      const create = (node: Node, sid: string, who: object) =>
        node.post('/create', { split: 'train', index: 0 }, { sid, ...who });
      expect((await create(one, 's', anna)).status).toBe(200);
      // Somebody else's session does not exist, wherever it lives.
      for (const node of nodes) {
        expect((await node.post('/ping', {}, { sid: 's', ...bert })).json).toMatchObject({ code: 'session_not_found' });
        expect((await node.post('/delete', {}, { sid: 's', ...agent })).status).toBe(403);
        expect((await node.post('/ping', {}, { sid: 's' })).status).toBe(401);
      }
      expect((await create(two, 's', bert)).status).toBe(200);
      for (const sid of ['s2', 's3', 's4']) expect((await create(one, sid, anna)).status).toBe(200);
      // Beats carry how many she has.
      await expect.poll(async () => (await create(two, crypto.randomUUID(), anna)).status, SOON).toBe(429);
      await expect.poll(async () => (await create(one, crypto.randomUUID(), anna)).status, SOON).toBe(429);
      expect((await create(one, 'b2', bert)).status).toBe(200);
    });
  });
}
