import { expect, test } from 'vitest';
import type { Death } from '../../proof/durable/deaths.ts';
import type { Failpoint } from '../../proof/durable/failpoints.ts';
import { type DurableOptions, proveDurable } from '../../proof/durable/prove.ts';

const PATIENCE = { timeout: 600_000 };

/** A server that dies at this step, again and again. */
function at(moment: Failpoint['moment'], step: Failpoint['step']): Death[] {
  return [2, 3, 4].map((count) => ({ moment, step, count }));
}

const TOTALS = 'totals are right: each call that was told counts once, and nothing else does';
const SUM_IN_LOG = 'an episode has one end in the log, with the sum of what its calls were told';

/** Servers from which something is missing, and the rules of which at least one shows it: which one depends on what was lost. */
const CONTROLS: readonly (Pick<DurableOptions, 'kinds' | 'environments' | 'tools' | 'deaths' | 'standIns'> & {
  readonly what: string;
  readonly rules: readonly string[];
})[] = [
  {
    what: 'tells the ids of calls only with their results',
    standIns: ['mortal-journal', 'unannounced'],
    kinds: ['bare'],
    environments: ['replayed'],
    tools: ['add'],
    deaths: at('after', 'end'),
    rules: [TOTALS],
  },
  {
    what: 'answers before the result is written',
    standIns: ['mortal-journal', 'unawaited'],
    kinds: ['raw'],
    environments: ['saved'],
    tools: ['add'],
    deaths: at('before', 'end'),
    rules: [TOTALS, SUM_IN_LOG],
  },
  {
    what: 'takes no notice of what tools do outside',
    standIns: ['mortal-journal', 'without-effects'],
    kinds: ['raw'],
    environments: ['saved'],
    tools: ['mail'],
    deaths: at('before', 'end'),
    rules: ['an external tool runs at most once for each id'],
  },
  {
    what: 'does not compare what comes again',
    standIns: ['uncompared'],
    kinds: ['raw'],
    environments: ['drifting'],
    tools: ['add'],
    deaths: ['server', 'server'],
    rules: ['an episode that does not give the same again is lost when it is built again'],
  },
  {
    what: 'does not write down what ends when it stops',
    standIns: ['unnoted'],
    kinds: ['raw'],
    environments: ['plain'],
    tools: ['add'],
    deaths: ['stop', 'stop'],
    rules: [SUM_IN_LOG],
  },
];

// What the model finds in these servers it would find in ours.
test.each(CONTROLS)('a server that $what is found out', PATIENCE, async ({ what, rules, ...options }) => {
  const { violations } = await proveDurable({ seed: 4, episodes: 40, workers: 0, players: 8, ...options });
  const broken = violations.map(({ rule }) => rule);
  expect(
    rules.some((rule) => broken.includes(rule)),
    broken.join('\n'),
  ).toBe(true);
});
