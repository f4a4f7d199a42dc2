import { connect, type EnvironmentClient } from '../../client/index.ts';
import type { Finding } from '../referee/probe.ts';
import { runProbes } from '../referee/run-probes.ts';
import { answerRules } from './answer-rules.ts';
import { callRules } from './call-rules.ts';
import { explore } from './explore.ts';
import { promptRules } from './prompt-rules.ts';
import { type Rule, toProbe } from './rule.ts';
import type { RewardRange, Sample } from './sample.ts';
import { takeSample } from './take-sample.ts';
import { taskRules } from './task-rules.ts';
import { toolRules } from './tool-rules.ts';

/** Which environments to lint, and how much of them. */
export interface LintOptions {
  /** An ORS server of any make. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Default: all environments of the server. */
  readonly environment?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How many tasks of each split are begun. Default: 5. */
  readonly samples?: number | undefined;
  /** The same seed makes the same choices. Default: 1. */
  readonly seed?: number | undefined;
  /** Whether tools may be called, which may have effects. Default: false. */
  readonly isActive?: boolean | undefined;
  /** The most calls with odd inputs. Default: 40. */
  readonly maxCalls?: number | undefined;
  /** After how many calls an episode should have ended. Default: 100. */
  readonly maxSteps?: number | undefined;
  /** The least and the most that a call may pay. Default: -1 to 1. */
  readonly rewardRange?: RewardRange | undefined;
  /** The most time for one answer. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
  readonly onFinding?: ((finding: Finding) => void) | undefined;
}

/** All rules, in the order of their findings. */
export const lintRules: readonly Rule[] = [...taskRules, ...promptRules, ...toolRules, ...answerRules, ...callRules];

/** Looks for what would spoil training in an environment itself, whichever server it is on. */
export async function lintEnvironment(options: LintOptions): Promise<Finding[]> {
  const { url, apiKey, environment, timeoutMs = 30_000, signal = new AbortController().signal } = options;
  const client = connect(url, { apiKey });
  const names = environment === undefined ? await client.environments({ signal, timeoutMs }) : [environment];
  const findings: Finding[] = [];
  for (const name of names) {
    const sample = await sampleOf(client.environment(name), { ...options, timeoutMs, signal });
    const http = { url, headers: {}, timeoutMs, signal };
    const probes = lintRules.map((rule) => ({ ...toProbe(rule), group: `Environment '${name}'` }));
    const { isActive = false, onFinding } = options;
    const run = { subject: sample, http, isActive, ...(onFinding === undefined ? {} : { onFinding }) };
    findings.push(...(await runProbes(probes, run)));
  }
  return findings;
}

type Filled = LintOptions & { readonly timeoutMs: number; readonly signal: AbortSignal };

async function sampleOf(environment: EnvironmentClient, options: Filled): Promise<Sample> {
  const { url, samples = 5, seed = 1, maxCalls = 40, maxSteps = 100, rewardRange = [-1, 1], isActive } = options;
  const { timeoutMs, signal } = options;
  const sampling = { samples, seed, timeoutMs, signal };
  const { splits, episodes } = await takeSample(environment, sampling);
  const calls = isActive ? await explore(environment, episodes, { ...sampling, maxCalls, maxSteps }) : [];
  return { url, environment: environment.name, splits, episodes, calls, rewardRange };
}
