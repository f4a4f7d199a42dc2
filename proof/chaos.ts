// npm run chaos: clients and servers that misbehave for a minute, and a model of what must hold. SEED and SECONDS change it.

import { CALL_OUTCOMES } from '../src/protocol/index.ts';
import { historyOf, RULES } from './chaos/model.ts';
import { type ChaosProof, proveChaos } from './chaos/prove.ts';
import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';

const seed = readWholeNumber('SEED', { otherwise: Date.now() % 1_000_000, least: 0 });
const seconds = readWholeNumber('SECONDS', { otherwise: 60 });
const SHOWN = 10;

process.stderr.write(`seed ${seed}\n`);
const proof = await proveChaos({
  seed,
  durationMs: seconds * 1000,
  clients: 16,
  restarts: Math.max(1, Math.round(seconds / 12)),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});

const { violations, faults, chronicle, held } = proof;
await writeReport({
  name: 'chaos',
  title: 'Chaos',
  command: `SEED=${seed} SECONDS=${seconds} npm run chaos`,
  isProven: violations.length === 0 && faults.length === 0,
  body: [
    'Clients that leave in the middle, repeat, read slowly, send half of a request, delete what runs; tools and setups that throw, hang and ignore their signal; a proxy that cuts connections at every byte; a server with little memory that is stopped, or killed, and started again.',
    table(['what happened', 'count'], counts(proof)),
    table(
      ['what must hold', 'violations'],
      Object.keys(RULES).map((rule) => [rule, violations.filter((each) => each.rule === rule).length]),
    ),
    ...violations
      .slice(0, SHOWN)
      .map(({ rule, episode, why }) => `**${rule}**: ${why}\n\n\`\`\`\n${historyOf(chronicle, episode)}\n\`\`\``),
    `Faults of the server as a whole (a crash, an unexpected error, something left over): ${faults.length}.`,
    ...faults.slice(0, SHOWN).map((fault) => `\`\`\`\n${fault}\n\`\`\``),
    `Open descriptors after everything has expired: ${held.after.descriptors} (${held.before.descriptors} before). Active: ${JSON.stringify(held.after.resources)} (${JSON.stringify(held.before.resources)} before).`,
  ],
});

function counts({ chronicle: { server, client, log, killed }, connections, cuts }: ChaosProof): [string, number][] {
  const answers = client.flatMap((event) => (event.what === 'answered' ? [event.answer.kind] : []));
  const count = (list: readonly string[], wanted: string) => list.filter((each) => each === wanted).length;
  const seen = server.map(({ what }) => what);
  return [
    ['episodes begun', count(seen, 'setup')],
    ['tools run', count(seen, 'run')],
    ['calls sent', client.filter(({ what }) => what === 'sent').length],
    ['answers: scored', count(answers, 'scored')],
    ['answers: the tool failed', count(answers, 'broke')],
    ['answers: refused', count(answers, 'refused')],
    ['answers: nobody can say', count(answers, 'unknown')],
    ...CALL_OUTCOMES.map((outcome): [string, number] => [
      `calls in the log: ${outcome}`,
      log.filter((line) => line.what === 'call' && line.outcome === outcome).length,
    ]),
    ['sessions in the log', log.filter(({ what }) => what === 'session ended').length],
    ['connections through the proxy', connections],
    ['of them cut', cuts],
    ['processes of the server', new Set(server.map(({ life }) => life)).size],
    ['of them killed', killed.size],
  ];
}
