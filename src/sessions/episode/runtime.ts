import type { Awaitable, Failure, Secrets } from '../../core/index.ts';
import type { ToolSpec, WireBlock } from '../../protocol/index.ts';
import type { RunListener } from '../call.ts';
import type { Manifest, TaskChoice, TaskPage, TaskQuery } from '../host.ts';

/** What an episode is made from. */
export interface EpisodeStart {
  /** The number of its session, for observers of the author's code. */
  readonly session: number;
  readonly sid: string;
  /** The environment's name, in any case; the first one when left out. */
  readonly environment: string | undefined;
  readonly choice: TaskChoice;
  readonly secrets: Secrets;
}

/** One run of a tool. */
export interface RunRequest {
  /** The number of its call. */
  readonly call: number;
  readonly name: string;
  /** Taken over by the run: defaults are written into it. */
  readonly input: object;
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

/** One episode in a runtime. A handle rather than an id: an episode that is opened anew elsewhere cannot be mixed up with it. */
export interface OpenEpisode {
  /** The environment's name as the manifest has it. */
  readonly environment: string;
  /** Whether there is anything to do before the first call. */
  readonly needsSetup: boolean;
  /**
   * Runs its setup; calls back once, when that has ended or was given up. `onLost` is called, in a later turn, if the process that
   * runs its code has ended: nothing else is told from then on.
   */
  begin(onReady: (failure: Failure | undefined) => void, onLost?: (why: string) => void): void;
  /** Fails a setup that takes longer than this. */
  giveUpSetup(limitMs: number): void;
  prompt(): Promise<WireBlock[]>;
  /** The tools of its task; only after setup. */
  tools(): Awaitable<readonly ToolSpec[]>;
  /** Checks an input, waits for its turn, and runs a tool. */
  run(request: RunRequest, listener: RunListener): void;
  /** Aborts what runs, waits a while for its end, and tears down. Runs that have not ended tell nobody any more. */
  close(reason: string): Promise<void>;
}
