// npm run simulate: nodes of a cluster on virtual time, a fake bus and a fake journal, through random schedules of faults. SCHEDULES, SEED
// and PROCESSES change it; SEED with SCHEDULE plays one schedule and prints its history.

import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';
import { RULES } from './simulate/findings.ts';
import { type Failure, proveSimulation, type Simulation } from './simulate/prove.ts';
import { SABOTAGES } from './simulate/sabotage.ts';
import { parseSchedule, toText } from './simulate/schedule.ts';
import { shareSimulation } from './simulate/share.ts';
import { Simulator } from './simulate/simulate.ts';

// Thousands of errors are made and caught, and nobody reads where.
Error.stackTraceLimit = 0;

const seed = readWholeNumber('SEED', { otherwise: Date.now() % 1_000_000, least: 0 });
const { SCHEDULE } = process.env;
if (SCHEDULE === undefined) await simulate(readWholeNumber('SCHEDULES', { otherwise: 5_000 }));
else await replay(SCHEDULE);

/** Plays one schedule, and prints what happens in it. */
async function replay(text: string): Promise<void> {
  const schedule = parseSchedule(text);
  if (schedule === undefined) {
    process.stderr.write('SCHEDULE must be a schedule as npm run simulate prints it\n');
    process.exit(2);
  }
  const { violations } = await new Simulator().play(seed, schedule, (line) => process.stdout.write(`${line}\n`));
  for (const { rule, episode, why } of violations) process.stdout.write(`${rule}: ${episode}: ${why}\n`);
  process.stdout.write(violations.length === 0 ? 'nothing is wrong\n' : '');
  if (violations.length > 0) process.exitCode = 1;
}

async function simulate(schedules: number): Promise<void> {
  process.stderr.write(`seed ${seed}\n`);
  const startedAt = performance.now();
  const onProgress = (done: number) => process.stderr.write(`${done} of ${schedules} schedules\n`);
  const processes = readWholeNumber('PROCESSES', { otherwise: 1 });
  const proof = await shareSimulation({ seed, schedules, onProgress }, processes);
  const seconds = (performance.now() - startedAt) / 1_000;
  const found = await plant();
  await writeReport({
    name: 'simulate',
    title: 'Simulated clusters',
    command: `SEED=${seed} SCHEDULES=${schedules} PROCESSES=${processes} npm run simulate`,
    isProven: proof.failures.length === 0 && found.every(({ failure }) => failure !== undefined),
    body: [
      `Nodes of a cluster in one process: their real code (\`src/cluster/\`, \`src/durable/\`, \`src/sessions/\`) on virtual time, with a bus and a journal that lose, delay and reorder. Each schedule has 2 to 4 nodes, 1 to 4 clients and 1 to 4 faults; how long each message takes comes from the seed. The schedules took ${seconds.toFixed(0)} s, and ${(proof.cpuMs / 1_000).toFixed(0)} s of processor time in ${processes} ${processes === 1 ? 'process' : 'processes'}: ${Math.round((60_000 * proof.schedules) / proof.cpuMs)} schedules in a minute of one core.`,
      table(['what happened', 'count'], counts(proof)),
      table(
        ['what must hold', 'schedules that broke it'],
        Object.values(RULES).map((rule) => [rule, proof.failures.filter((failure) => breaks(failure, rule)).length]),
      ),
      ...proof.failures.slice(0, 3).map(describe),
      'Bugs that were planted, around the nodes and not in their code, and what found them:',
      table(
        ['planted', 'schedules until it was found', 'what broke', 'the smallest schedule'],
        found.map(({ name, schedules, failure }) => [
          name,
          schedules,
          failure?.violations[0]?.rule ?? 'not found',
          failure === undefined ? '' : `\`SEED=${failure.seed}\` \`${toText(failure.schedule)}\``,
        ]),
      ),
    ],
  });
}

interface Found {
  readonly name: string;
  readonly schedules: number;
  readonly failure: Failure | undefined;
}

/** Looks for each planted bug. */
async function plant(): Promise<Found[]> {
  const found: Found[] = [];
  for (const [name, sabotage] of Object.entries(SABOTAGES)) {
    const { schedules, failures } = await proveSimulation({ seed: 1, schedules: 5_000, sabotage, stopsEarly: true });
    found.push({ name, schedules, failure: failures[0] });
  }
  return found;
}

function counts({ schedules, episodes, events, hours, faults }: Simulation): [string, string | number][] {
  return [
    ['schedules', schedules],
    ['episodes', episodes],
    ['events', events],
    ['hours of virtual time', hours.toFixed(0)],
    ...[...faults].sort().map(([kind, count]): [string, number] => [`faults: ${kind}`, count]),
  ];
}

function breaks({ violations }: Failure, rule: string): boolean {
  return violations.some((violation) => violation.rule === rule);
}

function describe({ seed: its, schedule, violations }: Failure): string {
  const whys = violations.map(({ rule, episode, why }) => `**${rule}**: ${episode}: ${why}`);
  return [...whys, `\`\`\`sh\nSEED=${its} SCHEDULE='${toText(schedule)}' npm run simulate\n\`\`\``].join('\n\n');
}
