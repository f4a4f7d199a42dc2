import type { Rule } from '../chaos/record.ts';
import { beginsOf, endsOf, LOST_WITH_PROCESS, lostOnlyWithProcess, rewardsOf } from '../durable/end-rules.ts';
import { attemptsUntilEnd, DURABLE_RULES, RUNS_AS_NEXT } from '../durable/model.ts';

// A node that stands still, or is cut off, does not know that others have gone on without it: it may run what nobody is told of.
const OF_ONE_PROCESS: ReadonlySet<string> = new Set([
  'an episode lives in one process at a time',
  'nothing happens after a deletion was answered',
  'an episode has one end in the log, with the sum of what its calls were told',
  RUNS_AS_NEXT,
]);

/** What must hold where nodes of a cluster die, stand still and are cut off: what clients are told, and what tools do outside. */
export const CLUSTER_RULES: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(Object.entries(DURABLE_RULES).filter(([name]) => !OF_ONE_PROCESS.has(name))),
  // One that stood still while it began may be set up late, where another node has begun it for its client: nothing is called there.
  [LOST_WITH_PROCESS]: (record) => {
    const ran = new Set(record.server.flatMap((event) => (event.what === 'run' ? [event.pid] : [])));
    const begins = beginsOf(record);
    return lostOnlyWithProcess(record, begins.length > 1 ? begins.filter(({ pid }) => ran.has(pid)) : begins);
  },
  // One that stood still between writing down that a call begins and running it runs it late, after a later attempt.
  'an idempotent call that was cut off runs again with an attempt of its own': function* (record) {
    for (const [token, attempts] of attemptsUntilEnd(record))
      if (new Set(attempts).size < attempts.length) yield `${token} ran as attempt ${attempts.join(', ')}`;
  },
  'an episode ends once in all logs, with the sum of what its calls were told': function* (record) {
    const rewards = rewardsOf(record);
    const ends = endsOf(record);
    // A node that stops while NATS is away cannot write down what ends with it: another one says that it is lost.
    const isOnceMore = ends.length === 2 && ends[0]?.lost === undefined && ends[1]?.lost === 'server_lost';
    if (ends.length > 1 && !isOnceMore)
      yield `it ended as ${ends.map(({ outcome, lost }) => lost ?? outcome).join(', ')}`;
    // What is lost has no reward.
    const told = ends.flatMap(({ lost, reward }) => (lost === undefined ? [reward ?? 0] : []));
    if (rewards !== undefined && told.length > 0 && !told.includes(rewards))
      yield `its reward is ${told.join(', ')} in the log, and clients were told ${rewards}`;
  },
};
