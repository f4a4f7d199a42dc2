// npm run bench: this server beside the floor that node:http sets and, where there is Python, the official reference server;
// in turns, in one run. `npm run bench -- calls episodes` runs only these.
import { availableParallelism, loadavg } from 'node:os';
import { startChild } from './child.ts';
import { measureCalls } from './measurements/calls.ts';
import { measureCluster } from './measurements/cluster.ts';
import { measureClusterJournal } from './measurements/cluster-journal.ts';
import { measureEpisodes } from './measurements/episodes.ts';
import { measureJournal } from './measurements/journal.ts';
import { measureLargeResults } from './measurements/large-results.ts';
import { measureManySessions } from './measurements/many-sessions.ts';
import { measureMcp } from './measurements/mcp.ts';
import { measureRecording } from './measurements/recording.ts';
import { measureRecovery } from './measurements/recovery.ts';
import { measureRuns } from './measurements/runs.ts';
import type { Servers } from './measurements/servers.ts';
import { measureTakeover } from './measurements/takeover.ts';
import { measureTasks } from './measurements/tasks.ts';
import { measureWorkers } from './measurements/workers.ts';
import { startReference } from './reference.ts';
import { printVerdicts, type Verdict } from './verdicts.ts';

const MEASUREMENTS: Record<string, (servers: Servers) => Promise<Verdict[]>> = {
  calls: measureCalls,
  episodes: measureEpisodes,
  large: measureLargeResults,
  sessions: measureManySessions,
  tasks: measureTasks,
  workers: measureWorkers,
  journal: measureJournal,
  takeover: measureTakeover,
  recovery: measureRecovery,
  recording: measureRecording,
  runs: measureRuns,
  cluster: measureCluster,
  'cluster-journal': measureClusterJournal,
  mcp: measureMcp,
};

/** Those that have the official Python server beside them, which takes a while to install. */
const WITH_REFERENCE = new Set(['calls', 'episodes', 'large']);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) {
  process.stderr.write(`no measurement '${unknown[0]}'. There are: ${Object.keys(MEASUREMENTS).join(', ')}\n`);
  process.exit(2);
}

const [busy = 0] = loadavg();
if (busy > availableParallelism() / 2)
  process.stdout.write(
    `the machine is busy (load ${busy.toFixed(1)}, ${availableParallelism()} processors): do not trust the figures\n`,
  );

const names = asked.length === 0 ? Object.keys(MEASUREMENTS) : asked;
using floor = await startChild('floor');
using tiltyard = await startChild('tiltyard');
const reference = names.some((name) => WITH_REFERENCE.has(name)) ? await startReference() : undefined;
if (reference && 'missing' in reference) process.stdout.write(`without the Python reference: ${reference.missing}\n`);
using python = reference && 'missing' in reference ? undefined : reference;

const verdicts: Verdict[] = [];
for (const name of names)
  verdicts.push(...((await MEASUREMENTS[name]?.({ floor, tiltyard, reference: python })) ?? []));
printVerdicts(verdicts);
