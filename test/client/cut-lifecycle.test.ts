import { connect } from 'tiltyard/client';
import { expect, test, vi } from 'vitest';
import { counted } from '../support/counted.ts';
import { CutLine } from '../support/cut-line.ts';
import { startServer } from '../support/http.ts';

// Each makes hundreds of connections, one after the other.
vi.setConfig({ testTimeout: 60_000 });

const LINES = 6;
// A prime: over all the answers, the cuts fall on every kind of byte.
const STEP = 11;

/** Plays something on lines side by side, each time with an offset further on, for as long as the test wants. */
async function playEverywhere(
  server: { readonly url: string },
  play: (line: CutLine, offset: number) => Promise<void>,
  { goesOn }: { goesOn: (offset: number, wasCut: boolean) => boolean },
): Promise<number> {
  let offset = 0;
  let isOver = false;
  const lines = await Promise.all(Array.from({ length: LINES }, () => CutLine.open(server)));
  const playAll = async (line: CutLine) => {
    while (!isOver) {
      const before = line.proxy.cuts;
      offset += STEP;
      await play(line, offset - STEP);
      isOver ||= !goesOn(offset, line.proxy.cuts > before);
    }
  };
  await Promise.all(lines.map(playAll));
  return lines.reduce((sum, { proxy }) => sum + proxy.cuts, 0);
}

// When in the life of an episode the cut comes, and how many connections from there on are left whole before it.
test.each([
  { request: 'POST /create_session', during: 'opening', after: 0 },
  { request: 'POST /create', during: 'opening', after: 1 },
  { request: 'GET /counted/prompt', during: 'prompt', after: 0 },
  { request: 'POST /delete', during: 'closing', after: 0 },
  { request: 'POST /delete_session', during: 'closing', after: 1 },
])('the answer to $request may be cut anywhere: one episode is set up, and none is left', async ({ during, after }) => {
  const counts = counted();
  const server = await startServer({ environments: counts.environments });
  const sids: string[] = [];
  const play = async (line: CutLine, offset: number) => {
    const enter = (phase: string) => {
      if (phase === during) line.cutNext(...Array.from({ length: after }, () => undefined), offset);
    };
    enter('opening');
    const client = connect(line.url, { ...CutLine.options, environment: 'counted' });
    const session = await client.session({ split: 'train', index: 0 });
    enter('prompt');
    expect(await session.prompt()).toMatchObject([{ text: 'Count.' }]);
    enter('closing');
    await session.close();
    sids.push(session.sid);
  };
  const cuts = await playEverywhere(server, play, { goesOn: (_offset, wasCut) => wasCut });
  expect(cuts).toBeGreaterThan(15);
  expect(counts).toMatchObject({ setups: sids.length, teardowns: sids.length });
  expect(new Set(sids).size).toBe(sids.length);
  for (const sid of sids.slice(-3)) expect((await server.get('/counted/prompt', { sid })).status).toBe(410);
});

test('the answers of discovery may be cut anywhere', async () => {
  const server = await startServer();
  const play = async (line: CutLine, offset: number) => {
    const client = connect(line.url, CutLine.options);
    const math = client.environment('math');
    const cut = <Value>(ask: () => Promise<Value>) => {
      line.cutNext(offset);
      return ask();
    };
    expect(await cut(() => client.environments())).toEqual(['math', 'code_env']);
    expect(await cut(() => math.splits())).toHaveLength(3);
    expect(await cut(() => math.count('train'))).toBe(10);
    expect(await cut(() => math.task('train', 3))).toMatchObject({ answer: '6' });
    expect(await cut(() => math.range('train', 0, 2))).toHaveLength(2);
    expect((await cut(() => math.tools())).map(({ name }) => name)).toContain('submit');
  };
  expect(await playEverywhere(server, play, { goesOn: (offset) => offset < 300 })).toBeGreaterThan(120);
});
