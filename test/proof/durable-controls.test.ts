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

/** Servers from which something is missing, and the rule that shows it. */
const CONTROLS: readonly (Pick<DurableOptions, 'kinds' | 'environments' | 'tools' | 'deaths' | 'standIns'> & {
  readonly what: string;
  readonly rule: string;
})[] = [
  {
    what: 'tells the ids of calls only with their results',
    standIns: ['mortal-journal', 'unannounced'],
    kinds: ['bare'],
    environments: ['replayed'],
    tools: ['add'],
    deaths: at('after', 'end'),
    rule: TOTALS,
  },
  {
    what: 'answers before the result is written',
    standIns: ['mortal-journal', 'unawaited'],
    kinds: ['raw'],
    environments: ['saved'],
    tools: ['add'],
    deaths: at('before', 'end'),
    rule: TOTALS,
  },
  {
    what: 'takes no notice of what tools do outside',
    standIns: ['mortal-journal', 'without-effects'],
    kinds: ['raw'],
    environments: ['saved'],
    tools: ['mail'],
    deaths: at('before', 'end'),
    rule: 'an external tool runs at most once for each id',
  },
  {
    what: 'does not compare what comes again',
    standIns: ['uncompared'],
    kinds: ['raw'],
    environments: ['drifting'],
    tools: ['add'],
    deaths: ['server', 'server'],
    rule: 'an episode that does not give the same again is lost when it is built again',
  },
];

// What the model finds in these servers it would find in ours.
test.each(CONTROLS)('a server that $what is found out', PATIENCE, async ({ what, rule, ...options }) => {
  const { violations } = await proveDurable({ seed: 4, episodes: 40, workers: 0, players: 8, ...options });
  expect(violations.map((violation) => violation.rule)).toContain(rule);
});
