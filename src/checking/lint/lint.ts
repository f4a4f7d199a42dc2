import { connect, type EnvironmentClient, HttpError } from '../../client/index.ts';
import type { Finding } from '../referee/probe.ts';
import { runProbes } from '../referee/run-probes.ts';
import { answerRules } from './answer-rules.ts';
import { callRules } from './call-rules.ts';
import { type CodeAtHand, type Incidents, openRuntime } from './code-at-hand.ts';
import { durabilityRules } from './durability-rules.ts';
import { explore } from './explore.ts';
import { playAgain } from './play-again.ts';
import { promptRules } from './prompt-rules.ts';
import { type Rule, toProbe } from './rule.ts';
import type { RewardRange, Sample } from './sample.ts';
import { strayRules } from './stray-rules.ts';
import { type SampleOptions, takeSample, toFailure } from './take-sample.ts';
import { taskRules } from './task-rules.ts';
import { toolRules } from './tool-rules.ts';

/** Which environments to lint, and how much of them. */
export interface LintOptions extends CodeAtHand {
  /** An ORS server of any make. */
  readonly url: string;
  /** Sent as X-API-Key, where the server wants one. */
  readonly apiKey?: string | undefined;
  /** Sent when an episode begins. Default: none. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Default: all environments of the server. */
  readonly environment?: string | undefined;
  /** Stops the lint. */
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
  /** Hears each finding when it is there. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** What commands that make a call again name the server. Default: its URL. */
  readonly name?: string | undefined;
  /** What findings show of an error's message, which may hold a stack. Default: all of it. */
  readonly toMessage?: ((message: string) => string) | undefined;
  /** Hears what is done next. */
  readonly onProgress?: ((progress: LintProgress) => void) | undefined;
  /** Hears of each environment how much of it was looked at. */
  readonly onSampled?: ((sampled: SampleSize) => void) | undefined;
}

/** How many of an environment's tasks were begun: what is wrong only with others is not found. */
export interface SampleSize {
  readonly environment: string;
  readonly begun: number;
  readonly tasks: number;
}

/** How far a lint is: reading an environment is one step, and calling its tools is another. */
export interface LintProgress {
  readonly done: number;
  readonly total: number;
  /** `math: reads train[0]` */
  readonly doing: string;
}

/** All rules, in the order of their findings. */
export const lintRules: readonly Rule[] = [
  ...taskRules,
  ...promptRules,
  ...toolRules,
  ...answerRules,
  ...callRules,
  ...durabilityRules,
  ...strayRules,
];

/** Looks for what would spoil training in an environment itself, whichever server it is on. */
export async function lintEnvironment(options: LintOptions): Promise<Finding[]> {
  const { url, apiKey, environment, timeoutMs = 30_000, signal = new AbortController().signal } = options;
  const {
    samples = 5,
    seed = 1,
    maxCalls = 40,
    maxSteps = 100,
    isActive = false,
    secrets = {},
    takeIncidents,
  } = options;
  const client = connect(url, { apiKey });
  const names = environment === undefined ? await client.environments({ signal, timeoutMs }) : [environment];
  const {
    rewardRange = [-1, 1],
    name: server = url,
    onProgress = () => {},
    toMessage = (message) => message,
  } = options;
  const total = names.length * (isActive ? 2 : 1);
  const samplingOf = (name: string, done: number) => ({
    ...{ samples, seed, secrets, timeoutMs, signal, maxCalls, maxSteps, toMessage },
    tell: (doing: string) => onProgress({ done, total, doing: `${name}: ${doing}` }),
  });
  const seen: Sample[] = [];
  // All before any tool is called: a call that breaks the server must not hide what else there is.
  for (const [at, name] of names.entries()) {
    const looked = await lookAt(client.environment(name), samplingOf(name, at));
    const tasks = looked.splits.reduce((sum, { count }) => sum + count, 0);
    options.onSampled?.({ environment: name, begun: looked.episodes.length, tasks });
    const incidents = takeIncidents?.();
    seen.push({ server, environment: name, secrets: Object.keys(secrets), rewardRange, incidents, ...looked });
  }
  await using runtime = isActive ? await openRuntime(options, timeoutMs) : undefined;
  const findings: Finding[] = [];
  for (const [at, sample] of seen.entries()) {
    const { environment: name, episodes } = sample;
    const sampling = samplingOf(name, names.length + at);
    const explored = isActive
      ? {
          ...sample,
          ...(await explore(client.environment(name), episodes, sampling)),
          again: await playAgain(runtime, name, episodes, sampling),
          incidents: joined(sample.incidents, takeIncidents?.()),
        }
      : sample;
    findings.push(...(await judge(explored, { ...options, timeoutMs, signal })));
  }
  return findings;
}

function joined(before: Incidents | undefined, after: Incidents | undefined): Incidents | undefined {
  if (before === undefined || after === undefined) return before;
  return {
    strayErrors: [...before.strayErrors, ...after.strayErrors],
    processEnds: [...before.processEnds, ...after.processEnds],
  };
}

type Seen = Omit<Sample, 'server' | 'environment' | 'secrets' | 'rewardRange'>;

async function lookAt(environment: EnvironmentClient, options: SampleOptions): Promise<Seen> {
  try {
    return { ...(await takeSample(environment, options)), calls: [] };
  } catch (thrown) {
    // One environment that does not answer is a finding, as long as there is such an environment.
    if (thrown instanceof HttpError && thrown.status === 404) throw thrown;
    return { splits: [], episodes: [], calls: [], failure: toFailure(thrown, options) };
  }
}

type Judging = LintOptions & Pick<SampleOptions, 'timeoutMs' | 'signal'>;

function judge(subject: Sample, { url, timeoutMs, signal, isActive = false, onFinding }: Judging): Promise<Finding[]> {
  const probes = lintRules.map((rule) => toProbe(rule, subject));
  const http = { url, headers: {}, timeoutMs, signal };
  return runProbes(probes, { subject, http, isActive, ...(onFinding === undefined ? {} : { onFinding }) });
}
