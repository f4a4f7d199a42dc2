import { type CallResult, OutcomeUnknown, type Session } from 'tiltyard/client';
import { expect, test, vi } from 'vitest';
import { type Counted, counted, largeText } from '../support/counted.ts';
import { CutLine } from '../support/cut-line.ts';
import { startServer, type TestOptions } from '../support/http.ts';

// Each makes hundreds of connections, one after the other.
vi.setConfig({ testTimeout: 60_000 });

// Side by side, so that waiting for one costs the others nothing.
const LINES = 8;

interface Player {
  readonly line: CutLine;
  readonly session: Session;
}

/** A call whose connections are cut; told by its key, which no other call has. */
interface CutCall {
  readonly tool: 'small' | 'large' | 'slow';
  readonly input?: object;
  readonly expected: (key: string) => object;
  /** After how many bytes its connections are cut, the n-th call of the test being the n-th asked for. */
  readonly offsets: (count: number) => readonly number[];
}

async function startPlayers(counts: Counted, options: TestOptions = {}): Promise<Player[]> {
  const server = await startServer({ environments: counts.environments, ...options });
  return Promise.all(
    Array.from({ length: LINES }, async () => {
      const line = await CutLine.open(server);
      const session = await line.session('counted');
      await session.prompt();
      return { line, session };
    }),
  );
}

/** What came of calls that were cut. */
interface CutCalls {
  /** By the key of the call; `small-7` was the eighth. */
  readonly outcomes: ReadonlyMap<string, CallResult | Error>;
  readonly cuts: number;
}

/** Makes calls, each cut further on than the last, until an answer has passed before it was to be cut. */
async function cutEverywhere(players: readonly Player[], { tool, input, offsets }: CutCall): Promise<CutCalls> {
  const outcomes = new Map<string, CallResult | Error>();
  let count = 0;
  let hasPassed = false;
  const play = async ({ line, session }: Player) => {
    while (!hasPassed) {
      const key = `${tool}-${count}`;
      const before = line.proxy.cuts;
      line.cutNext(...offsets(count++));
      outcomes.set(key, await session.call(tool, { key, ...input }).catch((error) => error));
      hasPassed ||= line.proxy.cuts === before;
    }
  };
  await Promise.all(players.map(play));
  return { outcomes, cuts: players.reduce((sum, { line }) => sum + line.proxy.cuts, 0) };
}

const small = { tool: 'small', expected: (key: string) => ({ text: `ran ${key}`, reward: 0.5 }) } as const;
const large = {
  tool: 'large',
  input: { size: 20_000 },
  expected: (key: string) => ({ text: largeText(key, 20_000), reward: null }),
} as const;
const slow = {
  tool: 'slow',
  input: { ms: 30 },
  expected: (key: string) => ({ text: `waited for ${key}` }),
} as const;

// Together more than 500 cuts.
const CASES: readonly [name: string, call: CutCall, cutsAtLeast: number][] = [
  ['at every byte of a small answer', { ...small, offsets: (count) => [count] }, 300],
  ['all over a result of many chunks', { ...large, offsets: (count) => [count * 251] }, 80],
  ['all over the stream of a slow call', { ...slow, offsets: (count) => [count * 11] }, 30],
  ['twice in a row', { ...small, offsets: (count) => [count * 13, (count * 23) % 200] }, 50],
  ['three times in a row', { ...large, offsets: (count) => [count * 701, (count * 97) % 9000, count % 500] }, 70],
];

test.each(CASES)(
  'K3, K4, K5: a call that is cut %s runs exactly once, and its result arrives whole',
  async (...each) => {
    const [, call, cutsAtLeast] = each;
    const counts = counted();
    const { outcomes, cuts } = await cutEverywhere(await startPlayers(counts, { pingMs: 10 }), call);
    expect(cuts).toBeGreaterThan(cutsAtLeast);
    for (const [key, outcome] of outcomes) {
      expect(outcome, key).toMatchObject(call.expected(key));
      expect(counts.runs(key), key).toBe(1);
    }
  },
);

test('K4, K5: where the server chooses the ids, a call is safe as soon as its task_id has passed, and never runs twice', async () => {
  const counts = counted();
  const players = await startPlayers(counts, { sessions: { clientTaskIds: 'refuse' } });
  const { outcomes } = await cutEverywhere(players, { ...small, offsets: (count) => [count * 3] });
  const numbersWhere = (isSo: (outcome: CallResult | Error) => boolean) =>
    [...outcomes].filter(([, outcome]) => isSo(outcome)).map(([key]) => Number(key.split('-')[1]));
  const unknown = numbersWhere((outcome) => outcome instanceof OutcomeUnknown);
  const known = numbersWhere((outcome) => !(outcome instanceof Error));
  // Everything before one byte of the answer, and nothing from there on: the last byte of the `task_id` event.
  expect(unknown).toHaveLength(Math.min(...known));
  expect(Math.max(...unknown)).toBeLessThan(Math.min(...known));
  expect(unknown.length + known.length).toBe(outcomes.size);
  for (const key of outcomes.keys()) expect(counts.runs(key), key).toBe(1);
  for (const number of known) expect(outcomes.get(`small-${number}`)).toMatchObject(small.expected(`small-${number}`));
});
