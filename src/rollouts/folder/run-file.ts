import type { JsonObject } from '../../protocol/index.ts';
import type { Scoring } from '../outcome/reward.ts';
import type { EpisodeLimits } from '../play/limits.ts';
import type { Price } from '../schedule/budget.ts';

/** The version of the folder's layout. */
export const RUN_VERSION = 1;

/** `run.json`: what a run is, all of it resolved. Never a key or a secret. */
export interface RunFile {
  readonly v: number;
  readonly createdAt: string;
  /** The server, as it was named. */
  readonly target: string;
  readonly identity: RunIdentity;
  readonly selection: Selection;
  /** The least reward with which an episode counts as passed. */
  readonly pass: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Missing in runs of earlier versions. */
  readonly kept?: KeptOptions;
  readonly versions: Readonly<Record<string, string>>;
  /** The commit of the working folder, if it is one of git. */
  readonly git: { readonly commit: string; readonly isDirty: boolean } | null;
  /** How many tasks there are, and a hash of them all. */
  readonly tasks: { readonly count: number; readonly hash: string } | null;
}

/** What must not change when a run is resumed: episodes of before and after are counted together. */
export interface RunIdentity {
  readonly environment: string;
  readonly split: string;
  /** `model`, the name of a policy, or the file of an agent. */
  readonly agent: string;
  readonly model: string | null;
  readonly parameters: JsonObject;
  readonly system: string | null;
  readonly seed: number;
  readonly limits: EpisodeLimits;
  readonly scoring: Scoring;
  readonly cluster: string | null;
}

/** How a run was last played, and is played on when it is resumed without saying otherwise. Only what was given. */
export interface KeptOptions {
  readonly concurrency?: number | 'auto';
  readonly retries?: number;
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly budgetMs?: number;
  /** Of the run's model alone. */
  readonly prices?: Readonly<Record<string, Price>>;
}

/** Which tasks are played, and how often. */
export interface Selection {
  readonly indices: readonly number[] | null;
  readonly from: number;
  /** Null for all. */
  readonly n: number | null;
  readonly k: number;
}
