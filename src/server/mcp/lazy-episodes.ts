import { TiltyardError } from '../../core/index.ts';
import {
  type CreateRequest,
  type EnvironmentManifest,
  isAbsent,
  keyOf,
  type LiveSession,
  type SessionHost,
  type SessionRef,
  type SessionState,
} from '../../sessions/index.ts';
import { badRequest } from '../http/bodies.ts';

/** An episode that a client names by itself, and that begins when it is first needed. */
export interface LazyEpisode {
  readonly environment: EnvironmentManifest;
  readonly split: string;
  readonly index: number;
  /** The client's own id of it. */
  readonly episode: string;
}

/** The parameters of an address, as they came. */
export type EpisodeQuery = Readonly<Record<string, unknown>>;

/** Reads which episode an address means. */
export function readLazyEpisode(environment: EnvironmentManifest, query: EpisodeQuery): LazyEpisode {
  const { name, splits } = environment;
  const { split = splits[0]?.name ?? '', index = '0', episode } = query;
  if (typeof episode !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(episode))
    throw badRequest(
      'add episode=<an id of your own> to the address, of 1 to 200 visible characters: MCP has no sessions, so the same id is the same episode, and a new one begins another',
    );
  const names = splits.map((each) => each.name);
  if (typeof split !== 'string' || !names.includes(split))
    throw new TiltyardError('unknown_split', `unknown split '${split}' (${name} has ${names.join(', ')})`);
  if (typeof index !== 'string' || !/^-?\d{1,15}$/.test(index))
    throw badRequest("'index' must be the number of a task, such as 0");
  return { environment, split, index: Number(index), episode };
}

/** The session of such an episode: an orchestrator may also name it by this id over ORS. */
export function sessionOf(identity: string, { episode }: LazyEpisode): SessionRef {
  return { identity, sid: `mcp:${episode}` };
}

/** Refuses an address that says another task than the episode of that id has. */
export function assertSameTask({ environment, split, index, episode }: LazyEpisode, live: LiveSession): void {
  if (live.environment === environment.name && live.split === split && live.index === index) return;
  const whose = `${live.environment}, split '${live.split}', index ${live.index}`;
  throw badRequest(`the episode '${episode}' is one of ${whose}. Choose another id for another task`);
}

/** Begins episodes when they are first needed, once, however many requests need one at the same time. */
export class LazyEpisodes {
  readonly #host: SessionHost;
  readonly #beginning = new Map<string, Promise<void>>();

  constructor(host: SessionHost) {
    this.#host = host;
  }

  /** Begins an episode, unless it has begun. */
  begin(ref: SessionRef, request: CreateRequest, before: SessionState): Promise<void> {
    if (!isAbsent(before)) return Promise.resolve();
    // One that has ended does not begin again: what is asked of it says so.
    if (before.code !== 'session_not_found') return Promise.resolve();
    const key = keyOf(ref);
    const beginning = this.#beginning.get(key) ?? this.#create(key, ref, request);
    return beginning;
  }

  #create(key: string, ref: SessionRef, request: CreateRequest): Promise<void> {
    const creating = this.#host
      .create(ref, request)
      .catch((thrown) => {
        // Another server of the cluster was faster.
        if (!(thrown instanceof TiltyardError && thrown.code === 'session_exists')) throw thrown;
      })
      .finally(() => this.#beginning.delete(key));
    this.#beginning.set(key, creating);
    return creating;
  }
}
