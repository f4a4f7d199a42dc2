import type { Secrets } from '../../core/index.ts';
import type { SessionFacts } from '../events.ts';
import type { CreateRequest } from '../host.ts';
import type { EpisodeKeeper, Keeping, RecalledSession } from '../keeper.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { SessionMemory } from '../memory/session-memory.ts';
import type { SessionOptions } from '../options.ts';

/** What all sessions of a host share. */
export interface SessionShare {
  readonly options: SessionOptions;
  readonly memory: MemoryBudget;
  /** What keeps episodes for after their process, if something does. */
  readonly keeper: Pick<EpisodeKeeper, 'refusal'> | undefined;
  /** Ends a session whose code can no longer run. */
  readonly endLost: (session: SessionFacts) => void;
  /** The tools of each environment: other names are a client's invention. */
  readonly toolNames: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What is known of a session when it begins. */
export interface SessionStart extends Pick<CreateRequest, 'choice' | 'trace'> {
  /** Tells it from all other sessions of its host. */
  readonly number: number;
  readonly sid: string;
  readonly identity: string;
  readonly seed: number;
  readonly secrets: Secrets;
  readonly memory: SessionMemory;
  /** What is kept of it for after its process, if anything is. */
  readonly keeping?: Keeping | undefined;
  /** What has happened in it at an earlier server. */
  readonly recalled?: Pick<RecalledSession, 'createdAt' | 'ended' | 'unfinished'> | undefined;
}
