// Plays many sessions on a server, until whoever started it goes away.
import { connect } from 'tiltyard/client';
import { inTurns } from '../../src/cli/bench/load/in-turns.ts';
import type { PlayersOptions } from './players.ts';

const TURN_MS = 20;

const options = JSON.parse(process.argv[2] ?? '{}') as PlayersOptions;
const { url, split, tool, input = {}, apiKey } = options;
const client = connect(url, apiKey === undefined ? {} : { apiKey });
const sessions = new Array(options.sessions);
await inTurns([...sessions.keys()], 50, async (index) => {
  sessions[index] = await client.session({ split, index });
});

let perSecond = 0;
let owed = 0;
let next = 0;
const timer = setInterval(() => {
  // Those that were not answered in time are not made up for: the rate is wanted, not the sum.
  owed = Math.min(perSecond, owed + (perSecond * TURN_MS) / 1_000);
  for (; owed >= 1; owed -= 1) void call(next++ % sessions.length);
}, TURN_MS);

process.on('message', async (message: { perSecond?: number; session?: number }) => {
  if (message.perSecond !== undefined) perSecond = message.perSecond;
  if (message.session === undefined) return;
  await call(message.session);
  process.send?.(`called ${message.session}`);
});
process.on('disconnect', async () => {
  clearInterval(timer);
  await Promise.race([closeAll(), new Promise((resolve) => setTimeout(resolve, 5_000))]);
  process.exit(0);
});
process.send?.('ready');

async function call(session: number): Promise<void> {
  // A server that has stopped is no failure of the players.
  await sessions[session].call(tool, input).catch(() => {});
}

async function closeAll(): Promise<void> {
  await inTurns(sessions, 50, (session) => session.close().catch(() => {}));
}
