import type { EnvironmentClient } from '../../client/index.ts';
import type { ToolSpec } from '../../protocol/index.ts';
import { generateInput, generateInvalidInputs } from '../referee/generate-input.ts';
import { edgeInputs, insiderInputs } from './edge-inputs.ts';
import { leavesOf } from './leaves.ts';
import { type Random, seededRandom } from './random.ts';
import { firstReading, type MadeCall, type Sample, type SampledEpisode } from './sample.ts';
import { Stage } from './stage.ts';
import { type SampleOptions, toFailure } from './take-sample.ts';

/** How an environment is explored. */
export interface ExploreOptions extends SampleOptions {
  /** The most calls with odd inputs. */
  readonly maxCalls: number;
  /** After how many calls an episode should have ended. */
  readonly maxSteps: number;
}

/** Names of tools that end an episode. */
export const ENDING: RegExp = /(^|[_-])(submit|finish|answer|done|final|complete|give_?up|end|stop)/i;

// To find an input that pays, a handful of guesses must do.
const MAX_GUESSES = 12;

/** Calls the tools of an environment: to be paid, with odd inputs, and until an episode ends. */
export async function explore(
  environment: EnvironmentClient,
  episodes: readonly SampledEpisode[],
  options: ExploreOptions,
): Promise<Pick<Sample, 'calls' | 'breakdown'>> {
  const playable = episodes.filter((episode) => firstReading(episode) !== undefined);
  if (playable.length === 0) return { calls: [] };
  await using stage = new Stage(environment, playable, options);
  try {
    await makeCalls(stage, playable, options);
    return { calls: stage.calls };
  } catch (thrown) {
    // What came before it is still worth judging, and most likely the reason.
    return { calls: stage.calls, breakdown: toFailure(thrown, options) };
  }
}

async function makeCalls(stage: Stage, episodes: readonly SampledEpisode[], options: ExploreOptions): Promise<void> {
  const random = seededRandom(options.seed);
  await seekReward(stage, episodes);
  await sendOddInputs(stage, episodes, { ...options, random });
  const hasEnded = stage.calls.some(({ outcome }) => outcome.kind === 'result' && outcome.finished);
  if (!hasEnded) await walk(stage, toolsOf(episodes.slice(0, 1)), { ...options, random });
}

/** Sends what the task knows until a call pays and ends the episode, and then sends the same again. */
async function seekReward(stage: Stage, episodes: readonly SampledEpisode[]): Promise<void> {
  for (const episode of episodes.slice(0, 2)) {
    const guesses = toolsOf([episode])
      .toSorted((one, other) => Number(ENDING.test(other.name)) - Number(ENDING.test(one.name)))
      .flatMap(({ name, input_schema: schema }) =>
        insiderInputs(schema, leavesOf(episode.task)).map((input) => ({ tool: name, input })),
      );
    for (const guess of guesses.slice(0, MAX_GUESSES)) {
      await stage.begin(episode);
      const outcome = await stage.call({ ...guess, purpose: 'paid' });
      if (outcome?.kind !== 'result' || !outcome.finished || !(Number(outcome.reward) > 0)) continue;
      await stage.call({ ...guess, purpose: 'repeat' });
      return stage.end();
    }
  }
  return stage.end();
}

type Planned = Pick<MadeCall, 'tool' | 'input' | 'purpose'>;

async function sendOddInputs(
  stage: Stage,
  episodes: readonly SampledEpisode[],
  { random, maxCalls }: ExploreOptions & { readonly random: Random },
): Promise<void> {
  const plans = toolsOf(episodes).map((tool) => planFor(tool, random));
  const longest = Math.max(0, ...plans.map((plan) => plan.length));
  // In turns, so that no tool takes the calls of another.
  const inTurns = Array.from({ length: longest }, (_, turn) => plans.flatMap((plan) => plan[turn] ?? [])).flat();
  for (const planned of inTurns.slice(0, maxCalls)) await stage.call(planned);
}

function planFor({ name: tool, input_schema: schema }: ToolSpec, random: Random): Planned[] {
  const plain = generateInput(schema);
  const odd: Planned[] = [
    ...edgeInputs(schema).map((input) => ({ tool, input, purpose: 'edge' as const })),
    ...generateInvalidInputs(schema).map(({ input }) => ({ tool, input, purpose: 'invalid' as const })),
  ];
  return [...(plain === undefined ? [] : [{ tool, input: plain, purpose: 'valid' as const }]), ...random.shuffle(odd)];
}

// Each costs an episode, and what breaks so often is told already.
const MAX_BROKEN = 5;

/** Plays one episode with inputs that its tools take, until it ends or has had its time. */
async function walk(
  stage: Stage,
  tools: readonly ToolSpec[],
  { random, maxSteps }: ExploreOptions & { readonly random: Random },
): Promise<void> {
  const choices = tools.flatMap(({ name: tool, input_schema: schema }) =>
    [generateInput(schema) ?? {}, ...edgeInputs(schema)].map((input) => ({ tool, input, purpose: 'walk' as const })),
  );
  await stage.begin();
  let broken = 0;
  for (let step = 0; step < maxSteps && broken < MAX_BROKEN; step += 1) {
    const choice = random.pick(choices);
    const outcome = choice === undefined ? undefined : await stage.call(choice);
    if (outcome === undefined || (outcome.kind === 'result' && outcome.finished)) return;
    if (outcome.kind === 'crashed') broken += 1;
  }
}

/** The tools of all episodes, each once. */
function toolsOf(episodes: readonly SampledEpisode[]): ToolSpec[] {
  const tools = episodes.flatMap((episode) => firstReading(episode)?.tools ?? []);
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}
