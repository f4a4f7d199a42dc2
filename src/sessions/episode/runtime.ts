import type { Awaitable, Failure, Secrets } from '../../core/index.ts';
import type { ToolSpec, WireBlock } from '../../protocol/index.ts';
import type { RunListener } from '../call.ts';
import type { Manifest, TaskChoice, TaskPage, TaskQuery } from '../host.ts';
import type { Loss } from './loss.ts';

/** What an episode is made from. */
export interface EpisodeStart {
  /** The number of its session, for observers of the author's code. */
  readonly session: number;
  readonly sid: string;
  /** The environment's name, in any case; the first one when left out. */
  readonly environment: string | undefined;
  readonly choice: TaskChoice;
  readonly secrets: Secrets;
  /** All chance in the author's code begins with it. */
  readonly seed: number;
  /** False: nobody keeps its state, so that it need not be saved. Default: true. */
  readonly isKept?: boolean;
  /** True: a state that JSON would change is not saved, and fails; for who looks for mistakes. Default: false, since it takes long. */
  readonly isSavedStrictly?: boolean;
  /** True: the hash of its task is asked for, whatever the contract of its environment. Default: false. */
  readonly isHashed?: boolean;
  /** What has happened in it before, if it is built again. */
  readonly past?: Past | undefined;
}

/** What an episode is built again from, so that it goes on where it was. */
export interface Past {
  /** As the first `OpenEpisode` told it: another task is refused, with `task_changed`. */
  readonly taskDigest: string | undefined;
  /** What was done, in the order it ended. Where the contract is `replay`, setup and these are run again. */
  readonly steps: readonly PastStep[];
  /** The JSON of the state, where the contract is `snapshot`; undefined: setup has not ended, and is run. */
  readonly saved?: string | undefined;
  /** Whether a step has ended the episode. */
  readonly finished: boolean;
}

/** Something that is done again; if `told` is not the digest of what comes of it now, the episode has diverged. */
export type PastStep =
  | { readonly kind: 'prompt'; readonly told: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly attempt: number;
      readonly name: string;
      readonly input: object;
      readonly told: string;
    };

/** One run of a tool. */
export interface RunRequest {
  /** The number of its call. */
  readonly call: number;
  /** The id of its call: the same when it is run again. */
  readonly id: string;
  /** From 1; more when a run before it was lost with its process. */
  readonly attempt: number;
  /** Whether its client knows the id: it chose it, or was told. Only those who keep episodes ask. */
  readonly isIdKnown?: boolean;
  /** Whether its client takes a refusal also after it was told the id. Only those who keep episodes ask. */
  readonly takesRefusalLate?: boolean | undefined;
  /** Whether it is only to be found out if the call is refused: the tool does not run. */
  readonly isTrial?: boolean;
  readonly name: string;
  /** Taken over by the run: defaults are written into it. */
  readonly input: object;
  /** How much its JSON is, or more: what is short need not be looked at closely. Default: nobody knows. */
  readonly bytes?: number | undefined;
}

/**
 * Where authors' code runs: in this process or in another. All that crosses it is data, or a callback of data; what
 * rejects, rejects with a TiltyardError, which `toFailure` makes plain.
 */
export interface EpisodeRuntime {
  readonly manifest: Manifest;
  tasks(query: TaskQuery): Awaitable<TaskPage>;
  /** Reads and checks the task of an episode. Nothing has to be torn down until it begins; one that is not wanted is closed. */
  open(start: EpisodeStart): Promise<OpenEpisode>;
}

/**
 * Hears that setup has ended: well, or with a failure (`setup_failed`; of a past, also `restore_failed` or `diverged`). `saved` is the
 * JSON of the state where the contract is `snapshot`.
 */
export type ReadyListener = (failure: Failure | undefined, saved?: string) => void;

/** One episode in a runtime. A handle rather than an id: an episode that is opened anew elsewhere cannot be mixed up with it. */
export interface OpenEpisode {
  /** The environment's name as the manifest has it. */
  readonly environment: string;
  /** Whether there is anything to do before the first call. */
  readonly needsSetup: boolean;
  /** The hash of its task (`taskHashOf`), where the task was read from a split, and its environment's contract needs it or its start asks for it. */
  readonly taskDigest: string | undefined;
  /**
   * Runs its setup, or builds it again from its past; calls back once, when that has ended or was given up. `onLost` is called, in
   * a later turn, if the process that runs its code has ended: nothing else is told from then on.
   */
  begin(onReady: ReadyListener, onLost?: (loss: Loss) => void): void;
  /** Fails a setup that takes longer than this. */
  giveUpSetup(limitMs: number): void;
  prompt(): Promise<WireBlock[]>;
  /** The tools of its task; only after setup. */
  tools(): Awaitable<readonly ToolSpec[]>;
  /** Checks an input, waits for its turn, and runs a tool. */
  run(request: RunRequest, listener: RunListener): void;
  /** Aborts a run, by the number of its call: one that has not started does not, and a tool at work hears it from its signal. */
  abort(call: number, reason: string): void;
  /** Aborts what runs, waits a while for its end, and tears down. Runs that have not ended tell nobody any more. */
  close(reason: string): Promise<void>;
}
