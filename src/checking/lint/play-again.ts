import { setTimeout as pause } from 'node:timers/promises';
import { type Failure, TiltyardError } from '../../core/index.ts';
import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import {
  type EpisodeRuntime,
  type EpisodeStart,
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
  runtime: EpisodeRuntime | undefined,
  environment: string,
  episodes: readonly SampledEpisode[],
  options: SampleOptions,
): Promise<PlayedAgain | undefined> {
  const isMeant = ({ name }: { readonly name: string }) => name === environment.toLowerCase();
  const durability = runtime?.manifest.environments.find(isMeant)?.durability ?? 'none';
  if (runtime === undefined || durability === 'none') return undefined;
  const problems: string[] = [];
  for (const episode of episodes.filter((each) => firstReading(each) !== undefined).slice(0, MAX_EPISODES)) {
    options.signal.throwIfAborted();
    options.tell(`plays ${showPlace(episode)} twice`);
    const { split, index } = episode;
    const start = { session: 0, sid: 'lint', environment, choice: { split, index }, isSavedStrictly: true };
    const rehearsal = new Rehearsal(
      runtime,
      { ...start, seed: options.seed, secrets: options.secrets },
      options.timeoutMs,
    );
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
  readonly #runtime: EpisodeRuntime;
  readonly #start: EpisodeStart;
  readonly #timeoutMs: number;

  constructor(runtime: EpisodeRuntime, start: EpisodeStart, timeoutMs: number) {
    this.#runtime = runtime;
    this.#start = start;
    this.#timeoutMs = timeoutMs;
  }

  async problemOf(durability: 'replay' | 'snapshot', calls: readonly PlannedCall[]): Promise<string | undefined> {
    const episode = await this.#runtime.open(this.#start);
    try {
      const { failure, saved, untilLost } = await this.#begin(episode);
      // On its server it began: there it is not saved.
      if (failure !== undefined) return durability === 'snapshot' ? wordsOf(failure) : undefined;
      const prompt: PastStep = { kind: 'prompt', told: toldDigest(await episode.prompt()) };
      const made = await untilLost(play(episode, calls));
      await pause(BETWEEN_MS);
      const problem = durability === 'replay' ? this.#replayProblem(prompt, made) : this.#restoreProblem(saved, made);
      return await problem.catch(toLossProblem);
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
      return failure && wordsOf(failure);
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
      const { failure, untilLost } = await this.#begin(again);
      if (failure !== undefined) return wordsOf(failure);
      for (const { step, ending } of made.slice(middle)) {
        const now = await untilLost(run(again, step));
        if (isBroken(now) && !isBroken(ending)) return `${nameOf({ step })} breaks once the state is restored`;
      }
      return undefined;
    } finally {
      await again.close('the lint is done with it');
    }
  }

  async #begin(episode: OpenEpisode): Promise<Begun> {
    let lose: (error: ProcessEnded) => void = () => {};
    const lost = new Promise<never>((_, reject) => {
      lose = reject;
    });
    // Those who wait for something are told.
    lost.catch(() => {});
    const untilLost = <Value>(work: Promise<Value>) => Promise.race([work, lost]);
    const ready = new Promise<Omit<Begun, 'untilLost'>>((resolve) => {
      episode.begin(
        (failure, saved) => resolve({ failure, saved }),
        ({ words, processEnd = words }) => lose(new ProcessEnded(processEnd)),
      );
    });
    const begun = untilLost(ready);
    if (!(await settlesWithin(begun, this.#timeoutMs))) episode.giveUpSetup(this.#timeoutMs);
    return { ...(await begun), untilLost };
  }
}

/** Code of the episode has ended the process that it was in. */
class ProcessEnded extends TiltyardError {
  constructor(why: string) {
    super('environment_failed', why);
    this.name = 'ProcessEnded';
  }
}

function toLossProblem(thrown: unknown): string {
  if (thrown instanceof ProcessEnded) return `built again, the episode ended its process: ${thrown.message}`;
  throw thrown;
}

function wordsOf({ message, thrown }: Failure): string {
  return thrown === undefined ? message : `${message}: ${thrown.message}`;
}

/** How a setup has ended, and what waits for work in its episode: that is never told once its process has ended. */
interface Begun {
  readonly failure: Failure | undefined;
  readonly saved: string | undefined;
  untilLost<Value>(work: Promise<Value>): Promise<Value>;
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
