import { startChild } from '../child.ts';
import { compare, processorTime, ratioOf } from '../compare.ts';
import { addCalls, createEpisodes, strides } from '../requests.ts';
import { atMostMore, type Verdict } from '../verdicts.ts';

const FEW = 10;
const MANY = Number(process.env.SESSIONS ?? 100_000);
const MOST_BYTES = 2 * 1024;
const CONNECTIONS = 10;

/** What an idle session takes, and whether a call costs the same among few sessions and among many. */
export async function measureManySessions(): Promise<Verdict[]> {
  using few = await startChild('tiltyard');
  using many = await startChild('tiltyard', ['--expose-gc']);
  // Compiled and warm before the first measure.
  await createEpisodes(many.port, 1_000);
  const before = await many.liveBytes();
  process.stderr.write(`\r\x1b[Kcreating ${MANY} sessions`);
  const sids = await createEpisodes(many.port, MANY);
  const bytes = ((await many.liveBytes()) - before) / MANY;
  const title = `calls among ${FEW} and among ${MANY} sessions`;
  const spread = addCalls(sids);
  const turn = strides();
  const [ours, theirs] = await compare(
    [
      { name: `${FEW} sessions`, server: few, next: addCalls(await createEpisodes(few.port, FEW)) },
      // Each call in another session, so that no processor cache holds them all.
      { name: `${MANY} sessions`, server: many, next: () => spread(turn()) },
    ],
    { title, connections: CONNECTIONS, unit: 'calls' },
  );
  const found = `${bytes.toFixed(0)} bytes`;
  const size = { what: `an idle session, of ${MANY}`, found, aim: `at most ${MOST_BYTES}`, isMet: bytes <= MOST_BYTES };
  if (ours === undefined || theirs === undefined) return [size];
  return [
    size,
    atMostMore(`a call among ${MANY} sessions: processor time`, ratioOf(theirs, ours, processorTime), 0.15),
  ];
}
