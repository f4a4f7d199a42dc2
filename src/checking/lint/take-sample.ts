import { AuthError, ClientError, type EnvironmentClient } from '../../client/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { type JsonObject, type Split, textOf } from '../../protocol/index.ts';
import { type Random, seededRandom } from './random.ts';
import {
  type Blamed,
  type Place,
  type Reading,
  type SampledEpisode,
  type SampledSplit,
  SCANNED,
  showPlace,
} from './sample.ts';

/** How much of an environment is looked at. */
export interface SampleOptions {
  /** How many tasks of each split are begun. */
  readonly samples: number;
  readonly seed: number;
  /** Sent when an episode begins. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The most time for one answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What is kept of an error's message. */
  readonly toMessage: (message: string) => string;
  /** Hears what is done next. */
  readonly tell: (doing: string) => void;
}

/** Looks at all splits, and begins some tasks of each, twice. */
export async function takeSample(
  environment: EnvironmentClient,
  options: SampleOptions,
): Promise<{ readonly splits: readonly SampledSplit[]; readonly episodes: readonly SampledEpisode[] }> {
  const { signal, timeoutMs } = options;
  const splits: SampledSplit[] = [];
  const episodes: SampledEpisode[] = [];
  for (const split of await environment.splits({ signal, timeoutMs })) {
    const sampled = await sampleSplit(environment, split, options);
    splits.push(sampled);
    for (const index of chooseIndexes(sampled.count, options.samples, seededRandom(options.seed))) {
      episodes.push(await sampleEpisode(environment, { split: split.name, index }, options));
    }
  }
  return { splits, episodes };
}

async function sampleSplit(
  environment: EnvironmentClient,
  { name, type }: Split,
  options: SampleOptions,
): Promise<SampledSplit> {
  const { signal, timeoutMs } = options;
  const count = await environment.count(name, { signal, timeoutMs });
  const range = async (start: number, stop: number) =>
    (await environment.range(name, start, stop, { signal, timeoutMs })) as JsonObject[];
  try {
    const first = await range(0, SCANNED);
    const last = count === 0 ? 0 : (await range(count - 1, count)).length;
    return { name, type, count, first, atEnd: { last, beyond: (await range(count, count + 1)).length } };
  } catch (thrown) {
    return { name, type, count, first: [], atEnd: { last: 0, beyond: 0 }, failure: toFailure(thrown, options) };
  }
}

/** The first index, the last, and some in between. */
function chooseIndexes(count: number, samples: number, random: Random): number[] {
  const chosen = new Set([0, count - 1].slice(0, Math.min(samples, count)));
  while (chosen.size < Math.min(samples, count)) chosen.add(random.below(count));
  return [...chosen].sort((one, other) => one - other);
}

async function sampleEpisode(
  environment: EnvironmentClient,
  place: Place,
  options: SampleOptions,
): Promise<SampledEpisode> {
  const { signal, timeoutMs, tell } = options;
  tell(`reads ${showPlace(place)}`);
  const readings = [await read(environment, place, options), await read(environment, place, options)];
  try {
    const task = (await environment.task(place.split, place.index, { signal, timeoutMs })) as JsonObject;
    return { ...place, task, readings };
  } catch (thrown) {
    return { ...place, task: {}, readings: [{ isRead: false, failure: toFailure(thrown, options) }] };
  }
}

async function read(environment: EnvironmentClient, place: Place, options: SampleOptions): Promise<Reading> {
  const { secrets, signal, timeoutMs } = options;
  let hasBegun = false;
  try {
    await using session = await environment.session({ ...place, secrets, signal, timeoutMs });
    hasBegun = true;
    const blocks = await session.prompt({ timeoutMs });
    const tools = await session.tools({ timeoutMs });
    return { isRead: true, text: textOf(blocks, '\n'), prompt: JSON.stringify(blocks), tools };
  } catch (thrown) {
    return { isRead: false, failure: toFailure(thrown, options), blamed: blame(thrown, hasBegun) };
  }
}

// A prompt waits for setup, so only the code of a server says which of the two has failed.
function blame(thrown: unknown, hasBegun: boolean): Blamed | undefined {
  const code = thrown instanceof ClientError ? (thrown.code as ErrorCode | undefined) : undefined;
  if (code === 'setup_failed') return 'setup';
  if (code === 'environment_failed') return hasBegun ? 'prompt' : 'task';
  return undefined;
}

/** What failed, for a finding; none if the lint was stopped, or may not use the server. */
export function toFailure(thrown: unknown, { signal, toMessage }: SampleOptions): string {
  signal.throwIfAborted();
  if (thrown instanceof AuthError) throw thrown;
  return toMessage((thrown as Error).message);
}
