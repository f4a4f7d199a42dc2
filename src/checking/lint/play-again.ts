import { setTimeout as pause } from 'node:timers/promises';
import { catalog, DEFAULT_LIMITS, type Environment, type Failure, silent, TiltyardError } from '../../core/index.ts';
import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import {
  DEFAULT_SESSION_OPTIONS,
  type EpisodeStart,
  LocalRuntime,
  type OpenEpisode,
  type PastStep,
  type RunEnding,
  settlesWithin,
  toldDigest,
} from '../../sessions/index.ts';
import { generateInput } from '../referee/generate-input.ts';
import { edgeInputs } from './edge-inputs.ts';
import { ENDING } from './explore.ts';
import { firstReading, type PlayedAgain, type SampledEpisode, showPlace } from './sample.ts';
import type { SampleOptions } from './take-sample.ts';

const MAX_EPISODES = 3;
const MAX_INPUTS = 3;
const MAX_CALLS = 20;

// What reads the clock shall read another time.
const BETWEEN_MS = 20;

/** Plays some episodes of an environment that promises to survive a crash, and builds each again from its past. */
export async function playAgain(
  definition: Environment | undefined,
  episodes: readonly SampledEpisode[],
  options: SampleOptions,
): Promise<PlayedAgain | undefined> {
  const durability = definition?.durability ?? 'none';
  if (definition === undefined || durability === 'none') return undefined;
  const limits = { ...DEFAULT_LIMITS, toolTimeoutMs: options.timeoutMs };
  const session = { ...DEFAULT_SESSION_OPTIONS, ...limits, graceMs: 0, log: silent };
  const runtime = new LocalRuntime(catalog([definition], { lenient: true, limits }), session);
  const problems: string[] = [];
  for (const episode of episodes.filter((each) => firstReading(each) !== undefined).slice(0, MAX_EPISODES)) {
    options.signal.throwIfAborted();
    options.tell(`plays ${showPlace(episode)} twice`);
    const { split, index } = episode;
    const start = { session: 0, sid: 'lint', environment: undefined, choice: { split, index }, seed: options.seed };
    const rehearsal = new Rehearsal(runtime, { ...start, secrets: options.secrets }, options.timeoutMs);
    const problem = await rehearsal
      .problemOf(durability, callsFor(firstReading(episode)?.tools ?? []))
      .catch(toNothing);
    if (problem !== undefined) problems.push(`${showPlace(episode)}: ${problem}`);
  }
  return { durability, problems };
}

// Other rules tell of what does not even begin.
function toNothing(thrown: unknown): undefined {
  if (!(thrown instanceof TiltyardError)) throw thrown;
}

interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Calls of each tool in turns, each tool more than once; those that end the episode come last. */
function callsFor(tools: readonly ToolSpec[]): PlannedCall[] {
  const plans = tools.map(({ name, input_schema: schema }) => {
    const inputs = [generateInput(schema) ?? {}, ...edgeInputs(schema)];
    return Array.from({ length: MAX_INPUTS }, (_, turn) => ({ name, input: inputs[turn % inputs.length] ?? {} }));
  });
  const inTurns = Array.from({ length: MAX_INPUTS }, (_, turn) => plans.flatMap((plan) => plan[turn] ?? [])).flat();
  const ending = inTurns.filter(isEnding);
  return [...inTurns.filter((call) => !isEnding(call)).slice(0, MAX_CALLS), ...ending];
}

function isEnding({ name }: PlannedCall): boolean {
  return ENDING.test(name);
}

/** A call that was made, and what came of it. */
interface Made {
  readonly step: Extract<PastStep, { kind: 'call' }>;
  readonly ending: RunEnding;
}

/** One episode, played and built again. */
class Rehearsal {
  readonly #runtime: LocalRuntime;
  readonly #start: EpisodeStart;
  readonly #timeoutMs: number;

  constructor(runtime: LocalRuntime, start: EpisodeStart, timeoutMs: number) {
    this.#runtime = runtime;
    this.#start = start;
    this.#timeoutMs = timeoutMs;
  }

  async problemOf(durability: 'replay' | 'snapshot', calls: readonly PlannedCall[]): Promise<string | undefined> {
    const episode = await this.#runtime.open(this.#start);
    try {
      const { failure, saved } = await this.#begin(episode);
      if (failure !== undefined) return undefined;
      const prompt: PastStep = { kind: 'prompt', told: toldDigest(await episode.prompt()) };
      const made = await play(episode, calls);
      await pause(BETWEEN_MS);
      return durability === 'replay'
        ? await this.#replayProblem(prompt, made)
        : await this.#restoreProblem(saved, made);
    } finally {
      await episode.close('the lint is done with it');
    }
  }

  async #replayProblem(prompt: PastStep, made: readonly Made[]): Promise<string | undefined> {
    // A tool that took too long ends what can be repeated.
    const steps = [prompt, ...made.filter(({ ending }) => ending.tainted === undefined).map(({ step }) => step)];
    const again = await this.#runtime.open({ ...this.#start, past: { taskDigest: undefined, steps, finished: false } });
    try {
      const { failure } = await this.#begin(again);
      return failure?.thrown === undefined ? failure?.message : `${failure.message}: ${failure.thrown.message}`;
    } finally {
      await again.close('the lint is done with it');
    }
  }

  /** Restores the state from the middle of the episode, and makes the rest of the calls again. */
  async #restoreProblem(first: string | undefined, made: readonly Made[]): Promise<string | undefined> {
    const unsaved = made.find(({ ending }) => ending.tainted?.reason === 'save_failed');
    if (unsaved !== undefined) return `after ${nameOf(unsaved)}, ${unsaved.ending.tainted?.words}`;
    const middle = Math.floor(made.length / 2);
    const saved = made[middle - 1]?.ending.saved ?? first;
    const past = { taskDigest: undefined, steps: [], saved, finished: false };
    const again = await this.#runtime.open({ ...this.#start, past });
    try {
      const { failure } = await this.#begin(again);
      if (failure !== undefined) return `${failure.message}: ${failure.thrown?.message}`;
      for (const { step, ending } of made.slice(middle)) {
        const now = await run(again, step);
        if (isBroken(now) && !isBroken(ending)) return `${nameOf({ step })} breaks once the state is restored`;
      }
      return undefined;
    } finally {
      await again.close('the lint is done with it');
    }
  }

  async #begin(episode: OpenEpisode): Promise<{ failure?: Failure | undefined; saved?: string | undefined }> {
    const begun = new Promise<{ failure: Failure | undefined; saved: string | undefined }>((resolve) => {
      episode.begin((failure, saved) => resolve({ failure, saved }));
    });
    if (!(await settlesWithin(begun, this.#timeoutMs))) episode.giveUpSetup(this.#timeoutMs);
    return begun;
  }
}

async function play(episode: OpenEpisode, calls: readonly PlannedCall[]): Promise<Made[]> {
  const made: Made[] = [];
  for (const [at, { name, input }] of calls.entries()) {
    const call = { kind: 'call' as const, id: `call-${at + 1}`, attempt: 1, name, input };
    const ending = await run(episode, call);
    if (ending.kind === 'refused') continue;
    made.push({ step: { ...call, told: toldDigest(ending) }, ending });
    if (ending.finished || ending.tainted !== undefined) break;
  }
  return made;
}

function run(
  episode: OpenEpisode,
  { id, attempt, name, input }: Omit<Made['step'], 'kind' | 'told'>,
): Promise<RunEnding> {
  return new Promise((resolve) => {
    const request = { call: 0, id, attempt, name, input: structuredClone(input) };
    episode.run(request, { accepted() {}, running() {}, ended: resolve });
  });
}

function isBroken(ending: RunEnding): boolean {
  return ending.kind === 'failed' && ending.outcome === 'env_error';
}

function nameOf({ step: { id, name, input } }: Pick<Made, 'step'>): string {
  return `${id} of tool '${name}' with ${JSON.stringify(input).slice(0, 200)}`;
}
