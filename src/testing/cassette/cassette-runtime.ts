import { TiltyardError, toCanonical } from '../../core/index.ts';
import type { JsonObject, Split, SplitType } from '../../protocol/index.ts';
import type { RecordedEpisode } from '../../records/index.ts';
import type {
  EnvironmentManifest,
  EpisodeRuntime,
  EpisodeStart,
  Manifest,
  OpenEpisode,
  TaskChoice,
  TaskPage,
  TaskQuery,
} from '../../sessions/index.ts';
import { CassetteEpisode } from './cassette-episode.ts';
import { toolsOf } from './recorded-tools.ts';

/** Plays recorded episodes: nothing of their environments runs. */
export class CassetteRuntime implements EpisodeRuntime {
  readonly manifest: Manifest;
  readonly #episodes: readonly RecordedEpisode[];
  /** How often each task was played, by its key. */
  readonly #played = new Map<string, number>();

  constructor(episodes: readonly RecordedEpisode[]) {
    this.#episodes = episodes;
    const names = [...new Set(episodes.map(({ environment }) => environment))];
    this.manifest = { environments: names.map((name) => toManifest(name, this.#of(name))) };
  }

  tasks(query: TaskQuery): TaskPage {
    const { environment, split } = query;
    const recorded = this.#of(environment);
    const count = countOf(recorded, split);
    if (count === 0) throw new TiltyardError('unknown_split', `no task of split '${split}' was recorded`);
    if (query.read === 'count') return { tasks: [], count };
    if (query.read === 'one') return { tasks: [taskAt(recorded, split, query.index)] };
    const all = Array.from({ length: count }, (_, index) => index);
    const asked = query.read === 'range' ? all.slice(query.start, query.stop) : all;
    return { tasks: asked.map((index) => taskAt(recorded, split, index)) };
  }

  async open({ environment: name, choice }: EpisodeStart): Promise<OpenEpisode> {
    const environment = name?.toLowerCase() ?? this.manifest.environments[0]?.name ?? '';
    const fitting = this.#of(environment).filter((episode) => isAbout(episode, choice));
    if (fitting.length === 0) throw notRecorded(choice, this.#of(environment));
    const key = toCanonical([environment, choice]);
    const turn = this.#played.get(key) ?? 0;
    this.#played.set(key, turn + 1);
    return new CassetteEpisode(environment, fitting[turn % fitting.length] as RecordedEpisode);
  }

  #of(environment: string): readonly RecordedEpisode[] {
    return this.#episodes.filter((episode) => episode.environment.toLowerCase() === environment);
  }
}

function toManifest(name: string, episodes: readonly RecordedEpisode[]): EnvironmentManifest {
  const tools = [...new Map(episodes.flatMap(toolsOf).map((tool) => [tool.name, tool])).values()];
  const splits = [...new Set(episodes.flatMap(({ choice }) => ('split' in choice ? [choice.split] : [])))];
  return {
    name: name.toLowerCase(),
    sharedTools: tools,
    allTools: tools,
    splits: splits.map(toSplit),
    taskCounts: Object.fromEntries(splits.map((split) => [split, countOf(episodes, split)])),
    requiredSecrets: [],
    durability: 'none',
    effects: {},
    annotations: {},
    hasSetup: false,
  };
}

const TYPES: readonly string[] = ['train', 'validation', 'test'] satisfies SplitType[];

function toSplit(name: string): Split {
  return { name, type: (TYPES.includes(name) ? name : 'validation') as SplitType };
}

function countOf(episodes: readonly RecordedEpisode[], split: string): number {
  return Math.max(
    0,
    ...episodes.map(({ choice }) => ('split' in choice && choice.split === split ? choice.index + 1 : 0)),
  );
}

/** A task, or what stands for one whose content was not recorded; a client may send either back. */
function taskAt(episodes: readonly RecordedEpisode[], split: string, index: number): JsonObject {
  const found = episodes.find(({ choice }) => 'split' in choice && choice.split === split && choice.index === index);
  return found?.task ?? { split, index };
}

function isAbout({ choice: recorded, task }: RecordedEpisode, choice: TaskChoice): boolean {
  if (toCanonical({ ...recorded }) === toCanonical({ ...choice })) return true;
  if (!('task' in choice)) return false;
  const sent = toCanonical(choice.task);
  return (
    (task !== undefined && toCanonical(task) === sent) || ('split' in recorded && toCanonical({ ...recorded }) === sent)
  );
}

function notRecorded(choice: TaskChoice, episodes: readonly RecordedEpisode[]): TiltyardError {
  const places = episodes.flatMap(({ choice: each }) => ('split' in each ? [`${each.split} ${each.index}`] : []));
  const known = places.length === 0 ? 'none' : [...new Set(places)].slice(0, 20).join(', ');
  const asked = 'split' in choice ? `task ${choice.index} of split '${choice.split}'` : 'this task';
  return new TiltyardError(
    'split' in choice ? 'bad_index' : 'invalid_task',
    `${asked} was not recorded. Recorded tasks: ${known}`,
  );
}
