// npm run chaos:durable: episodes that outlive the processes that run them. SEED, EPISODES and KILLS change it.

import { historyOf } from './chaos/model.ts';
import { countPlayed } from './durable/counts.ts';
import type { Death } from './durable/deaths.ts';
import { DURABLE_RULES } from './durable/model.ts';
import { type DurableProof, proveDurable } from './durable/prove.ts';
import { random } from './random.ts';
import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';

const seed = readWholeNumber('SEED', { otherwise: Date.now() % 1_000_000, least: 0 });
const episodes = readWholeNumber('EPISODES', { otherwise: 400 });
const kills = readWholeNumber('KILLS', { otherwise: 10, least: 0 });
const SHOWN = 10;

// Every so many kills, the server is told to stop instead.
const STOP_AFTER = 10;

process.stderr.write(`seed ${seed}\n`);
const deaths = toDeaths();
const proof = await proveDurable({
  seed,
  episodes,
  deaths,
  workers: 2,
  players: 16,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});

const { violations, faults, chronicle } = proof;
await writeReport({
  name: 'chaos-durable',
  title: 'Chaos: durable episodes',
  command: `SEED=${seed} EPISODES=${episodes} KILLS=${kills} npm run chaos:durable`,
  isProven: violations.length === 0 && faults.length === 0,
  body: [
    'Episodes of environments with every contract, on a server with two workers and a journal. Workers, and the whole server, are killed with SIGKILL at random moments, and the server is told to stop now and then. Clients: ours, over connections that break; bare sockets that choose the ids of their calls; bare sockets that are told them; and clients of toolkits.',
    table(['what happened', 'count'], counts(proof)),
    table(
      ['what must hold', 'violations'],
      Object.keys(DURABLE_RULES).map((rule) => [rule, violations.filter((each) => each.rule === rule).length]),
    ),
    // One for each rule: the others are often the same once more.
    ...violations
      .filter(({ rule }, index) => violations.findIndex((each) => each.rule === rule) === index)
      .map(({ rule, episode, why }) => `**${rule}**: ${why}\n\n\`\`\`\n${historyOf(chronicle, episode)}\n\`\`\``),
    `Faults of the server as a whole (a crash, an unexpected error, a process left over): ${faults.length}.`,
    ...faults.slice(0, SHOWN).map((fault) => `\`\`\`\n${fault}\n\`\`\``),
  ],
});

function toDeaths(): Death[] {
  const choices = random(seed);
  return Array.from({ length: kills }, (_, index): Death[] => [
    choices.chance(0.5) ? 'worker' : 'server',
    ...(index % STOP_AFTER === STOP_AFTER - 1 ? (['stop'] as const) : []),
  ]).flat();
}

function counts({ chronicle, episodes: played }: DurableProof): [string, number][] {
  const count = (wanted: Death) => deaths.filter((each) => each === wanted).length;
  return [
    ['episodes played', played],
    ['workers killed', count('worker')],
    ['servers killed, with their workers', count('server')],
    ['servers told to stop', count('stop')],
    ...countPlayed(chronicle),
  ];
}
