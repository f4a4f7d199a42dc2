import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Client, connect, credentialsIn, type EnvironmentClient } from '../client/index.ts';
import { leanFetch } from '../http-client/index.ts';
import { version } from '../version.ts';
import { chooseAgent } from './agents/choose-agent.ts';
import { RUN_VERSION, type RunFile } from './folder/run-file.ts';
import { RunFolder } from './folder/run-folder.ts';
import { assertSameRun, toIdentity, toSelection, widen } from './identity.ts';
import { toKept, withKept } from './kept-options.ts';
import { keyFor, parseModel } from './models/model-name.ts';
import { RunOptionError } from './option-error.ts';
import type { RolloutOptions } from './options.ts';
import { plan, readTasks } from './plan.ts';
import { playAll, type RunEnding } from './play-all.ts';
import { priceOf } from './price.ts';
import { RunState } from './run-state.ts';
import { type Summary, summarize } from './summary.ts';

/** A run that has ended. */
export interface RunResult {
  /** Where it was written. */
  readonly folder: string;
  readonly summary: Summary;
  readonly ending: RunEnding;
}

/** Plays an agent on the tasks of an environment, writes all of it into a folder, and says how good it is. */
export async function rollouts(given: RolloutOptions): Promise<RunResult> {
  const options = withKept(given);
  assertOptions(options);
  const { target, targetName = target, out, tags = {}, pass = 1, signal = new AbortController().signal } = options;
  using lean = leanFetch();
  const client = connect(target, { fetch: lean.fetch, ...options.connect });
  const environment = await findEnvironment(client, options.environment, signal);
  const split = await findSplit(environment, options.split, signal);
  const chosen = chooseAgent(options, environment.name);
  using folder = await RunFolder.open(out, options.resume === true ? 'resume' : 'new');
  const identity = toIdentity(options, { environment: environment.name, split, agent: chosen.name });
  const before = folder.readRun();
  if (before !== undefined) assertSameRun(out, before.identity, identity);
  const asked = toSelection(options);
  const selection = before === undefined ? asked : widen(out, before, asked);
  const run: RunFile = {
    v: RUN_VERSION,
    createdAt: before?.createdAt ?? new Date().toISOString(),
    target: withoutPassword(targetName),
    identity,
    selection,
    pass,
    tags: { ...before?.tags, ...tags },
    kept: toKept(options),
    versions: { tiltyard: version, node: process.versions.node },
    git: await readGit(),
    tasks: before?.tasks ?? null,
  };
  const hidden = { ...options.secrets, ...credentialsIn(options.connect) };
  const request = { environment, split, selection, cluster: identity.cluster, hidden, signal };
  try {
    // Before anything is written: what is refused leaves no run.
    const wanted = await readTasks(request);
    // Before the plan, so that a plan is always of a known run.
    folder.writeRun(run);
    const { tasks } = await plan(folder, wanted, request);
    folder.writeRun({ ...run, tasks });
  } catch (thrown) {
    if (thrown instanceof RunOptionError) folder.withdraw(before);
    throw thrown;
  }
  const state = await RunState.read(out);
  const ending = await playAll({ folder, state, environment, chosen, options, hidden, signal, fetch: lean.fetch });
  const summary = summarize(state);
  folder.writeSummary({ ...summary, ending });
  return { folder: out, summary, ending };
}

// What is in a URL to be let in is in no file.
function withoutPassword(target: string): string {
  return target.replace(/^(https?:\/\/)[^/@]*@/i, '$1');
}

function assertOptions(options: RolloutOptions): void {
  const { n, from, k, indices, concurrency, retries, maxTurns, maxTokens, model } = options;
  const counts = { n, from, k, retries, maxTurns, maxTokens, ...(concurrency === 'auto' ? {} : { concurrency }) };
  for (const [name, value] of Object.entries(counts)) {
    const least = name === 'from' || name === 'retries' ? 0 : 1;
    if (value !== undefined && !(Number.isInteger(value) && value >= least))
      throw new RunOptionError(`${name} must be a whole number, ${least} or more, not ${value}`);
  }
  const { timeoutMs, budgetTokens, budgetUsd, budgetMs } = options;
  for (const [name, value] of Object.entries({ timeoutMs, budgetTokens, budgetUsd, budgetMs }))
    if (value !== undefined && !(value > 0)) throw new RunOptionError(`${name} must be more than 0, not ${value}`);
  if (model !== undefined) keyFor(parseModel(model), process.env);
  priceOf(options);
  if (indices !== undefined && (n !== undefined || from !== undefined))
    throw new RunOptionError('indices cannot be combined with n or from: list the tasks, or give a range');
}

async function findEnvironment(
  client: Client,
  name: string | undefined,
  signal: AbortSignal,
): Promise<EnvironmentClient> {
  const names = await client.environments({ signal });
  const found = name === undefined ? names[0] : names.find((each) => each === name);
  if (found === undefined)
    throw new RunOptionError(`there is no environment '${name ?? ''}' (the server has: ${names.join(', ')})`);
  return client.environment(found);
}

async function findSplit(
  environment: EnvironmentClient,
  name: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const names = (await environment.splits({ signal })).map((split) => split.name);
  const found = name === undefined ? names[0] : names.find((each) => each === name);
  if (found === undefined)
    throw new RunOptionError(`there is no split '${name ?? ''}' (${environment.name} has: ${names.join(', ')})`);
  return found;
}

async function readGit(): Promise<RunFile['git']> {
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { timeout: 5_000 })).stdout.trim();
  try {
    const [commit, changes] = await Promise.all([git('rev-parse', 'HEAD'), git('status', '--porcelain')]);
    return { commit, isDirty: changes !== '' };
  } catch {
    return null; // No git, or not in a repository.
  }
}
