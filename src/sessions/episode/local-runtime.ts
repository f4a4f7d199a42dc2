import {
  type Catalog,
  type CatalogEnvironment,
  EnvironmentError,
  TiltyardError,
  taskHashOf,
} from '../../core/index.ts';
import type { Manifest, TaskChoice, TaskPage, TaskQuery } from '../host.ts';
import type { EpisodeOptions } from '../options.ts';
import { Episode } from './episode.ts';
import { LocalEpisode } from './local-episode.ts';
import type { EpisodeRuntime, EpisodeStart, OpenEpisode } from './runtime.ts';

/** Runs authors' code in this process. */
export class LocalRuntime implements EpisodeRuntime {
  readonly manifest: Manifest;
  readonly #catalog: Catalog;
  readonly #options: EpisodeOptions;

  constructor(catalog: Catalog, options: EpisodeOptions) {
    this.#catalog = catalog;
    this.#options = options;
    this.manifest = {
      environments: catalog.environments.map(
        ({ name, sharedTools, allTools, splits, taskCounts, requiredSecrets, durability, ...rest }) => ({
          name,
          sharedTools,
          allTools,
          splits,
          taskCounts,
          requiredSecrets,
          durability,
          effects: rest.effects,
          annotations: rest.annotations,
          hasSetup: rest.hasSetup,
        }),
      ),
    };
  }

  async tasks(query: TaskQuery): Promise<TaskPage> {
    const environment = this.#catalog.find(query.environment);
    return this.#reading(environment, () => readTasks(environment, query));
  }

  async open({ environment: name, choice, past, isHashed = false, ...start }: EpisodeStart): Promise<OpenEpisode> {
    const environment = name === undefined ? this.#catalog.first : this.#catalog.find(name);
    environment.checkSecrets(start.secrets);
    const { task, digest } = await this.#reading(environment, () => resolveTask(environment, choice, isHashed));
    if (past?.taskDigest !== undefined && past.taskDigest !== digest) throw taskChanged(start.sid, choice);
    const episode = new Episode({ ...start, environment, task }, this.#options.log);
    return new LocalEpisode(episode, this.#options, { taskDigest: digest, past });
  }

  #reading<Value>({ name }: CatalogEnvironment, read: () => Value): Value {
    const { within } = this.#options.observer;
    return within === undefined ? read() : within({ part: 'tasks', environment: name }, read);
  }
}

async function readTasks(environment: CatalogEnvironment, query: TaskQuery): Promise<TaskPage> {
  const source = environment.split(query.split);
  switch (query.read) {
    case 'count':
      return { tasks: [], count: await source.count() };
    case 'one':
      return { tasks: [await source.get(query.index)] };
    case 'range':
      return { tasks: await source.range(query.start, query.stop) };
    case 'all':
      return { tasks: await source.list() };
  }
}

interface ResolvedTask {
  /** As the author's code sees it. */
  readonly task: unknown;
  /** Tells whether it is still the same when the episode is built again; a client's own task is kept with the episode. */
  readonly digest: string | undefined;
}

async function resolveTask(
  environment: CatalogEnvironment,
  choice: TaskChoice,
  isHashed: boolean,
): Promise<ResolvedTask> {
  if ('task' in choice) return { task: await environment.checkTask(choice.task), digest: undefined };
  const { split, index } = choice;
  const task = await environment.split(split).get(index);
  try {
    const digest = isHashed || environment.durability !== 'none' ? hashOf(task) : undefined;
    // A copy: what one episode does to its task must not reach another.
    return { task: await environment.checkTask(structuredClone(task)), digest };
  } catch (thrown) {
    // Not the client's mistake: the author's own task does not fit the author's schema.
    throw new EnvironmentError('environment_failed', `task ${index} of split '${split}' is broken`, { thrown });
  }
}

/** Of the task as clients read it. */
function hashOf(task: unknown): string {
  return taskHashOf(JSON.parse(JSON.stringify(task)));
}

function taskChanged(sid: string, choice: TaskChoice): TiltyardError {
  const which = 'split' in choice ? `task ${choice.index} of split '${choice.split}'` : 'the task';
  return new TiltyardError(
    'task_changed',
    `${which} has changed since session '${sid}' began with it, so that its episode cannot be built again`,
  );
}
