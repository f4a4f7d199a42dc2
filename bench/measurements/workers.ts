import { type BenchServer, startModule } from '../child.ts';
import { type Contender, compare, ratioOf } from '../compare.ts';
import { addCalls, createEpisodes, type Next, workCalls } from '../requests.ts';
import { atLeastShare, atLeastTimes, type Verdict } from '../verdicts.ts';

const CONNECTIONS = 64;

/** Calls of a tool that does nothing, and of one that computes for 2 ms: in the server's process, and in one or two workers. */
export async function measureWorkers(): Promise<Verdict[]> {
  // Processes of their own, so that all of them have done as much.
  using none = await start(0);
  using one = await start(1);
  using two = await start(2);
  const servers = { none, one, two };
  const run = async (title: string, toNext: (sids: readonly string[]) => Next) =>
    compare(await contendersFor(servers, toNext), { title, connections: CONNECTIONS, unit: 'calls' });
  const idle = 'H9: workers, a tool that does nothing, 64 connections';
  const [inProcess, withOne] = await run(idle, addCalls);
  const busy = 'workers, a tool that computes for 2 ms, 64 connections';
  const [, busyOne, busyTwo] = await run(busy, (sids) => workCalls(sids, 2));
  if (!(inProcess && withOne && busyOne && busyTwo)) return [];
  return [
    atLeastShare(`${idle}: 1 against none`, ratioOf(withOne, inProcess), 0.65),
    atLeastTimes(`${busy}: 2 against 1`, ratioOf(busyTwo, busyOne), 1.8),
  ];
}

function start(count: number) {
  return startModule(new URL('../servers/workers.ts', import.meta.url), { env: { WORKERS: String(count) } });
}

async function contendersFor(
  servers: Readonly<Record<'none' | 'one' | 'two', BenchServer>>,
  toNext: (sids: readonly string[]) => Next,
): Promise<Contender[]> {
  const contender = async (name: string, server: BenchServer) => ({
    name,
    server,
    next: toNext(await createEpisodes(server.port, CONNECTIONS)),
  });
  return [
    await contender('in process', servers.none),
    await contender('1 worker', servers.one),
    await contender('2 workers', servers.two),
  ];
}
