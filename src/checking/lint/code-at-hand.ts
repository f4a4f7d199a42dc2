import { catalog, DEFAULT_LIMITS, type Environment, type Limits, silent } from '../../core/index.ts';
import { DEFAULT_SESSION_OPTIONS, type EpisodeRuntime, LocalRuntime } from '../../sessions/index.ts';

/** Where the lint plays episodes by itself; disposing of it ends what was started for that. */
export interface LintRuntime extends EpisodeRuntime, AsyncDisposable {}

/** What the lint has of environments beside their server. */
export interface CodeAtHand {
  /**
   * The environments as they were defined, where their code is at hand: the lint then also builds episodes again, in this process.
   * Default: none.
   */
  readonly definitions?: readonly Environment[] | undefined;
  /**
   * Starts another process that builds episodes again, in place of `definitions`.
   * @internal For the command: code that exits or loops must not end the check.
   */
  readonly startRuntime?: ((limits: Limits) => Promise<LintRuntime>) | undefined;
  /**
   * Takes what has happened beside calls since this was called last.
   * @internal For the command, which hears of it.
   */
  readonly takeIncidents?: (() => Incidents) | undefined;
}

/** What code did beside what it was asked for. */
export interface Incidents {
  /** Errors that nobody caught. */
  readonly strayErrors: readonly string[];
  /** How processes that ran it have ended: `it exited with code 1`. */
  readonly processEnds: readonly string[];
}

/** Opens what runs the code; undefined where there is none. */
export async function openRuntime(
  { definitions = [], startRuntime }: CodeAtHand,
  timeoutMs: number,
): Promise<LintRuntime | undefined> {
  const limits = { ...DEFAULT_LIMITS, toolTimeoutMs: timeoutMs, graceMs: 0 };
  if (startRuntime !== undefined) return startRuntime(limits);
  if (definitions.length === 0) return undefined;
  const session = { ...DEFAULT_SESSION_OPTIONS, ...limits, log: silent };
  const runtime = new LocalRuntime(catalog(definitions, { lenient: true, limits }), session);
  return Object.assign(runtime, { async [Symbol.asyncDispose]() {} });
}
