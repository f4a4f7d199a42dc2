import { type CompiledTool, redact, type ToolEnding, toError, toThrown } from '../../core/index.ts';
import type { RunEnding, Taint } from '../call-ending.ts';
import { settlesWithin } from '../time-limit.ts';
import { tookTooLong } from '../tool-failure.ts';
import type { Episode } from './episode.ts';

/** A run that has ended. */
interface JudgedRun {
  readonly tool: CompiledTool;
  readonly isAborted?: boolean;
}

/** Judges each run: adds to its ending what its episode can be built again from, or why it no longer can. */
export class RebuildJudge {
  /** Whether the state is saved after each run. */
  readonly savesStates: boolean;
  readonly #episode: Episode;
  readonly #patienceMs: number;
  #isTainted = false;

  constructor(episode: Episode, graceMs: number) {
    this.#episode = episode;
    this.savesStates = episode.savesStates;
    this.#patienceMs = Math.min(graceMs, LISTENS_WITHIN_MS);
  }

  /** Where nothing is saved: adds why the run cannot be repeated, if it cannot. A concurrent one need not be. */
  withTaint(told: RunEnding, ending: ToolEnding, { tool, isAborted }: JudgedRun): RunEnding {
    if (this.#isTainted || tool.concurrent) return told;
    // How far it came before it was stopped is not the same twice.
    if (ending.kind === 'timed_out') return this.#taint(told, 'timeout', whatTookTooLong(tool, ending.timeoutMs));
    if (isAborted !== true) return told;
    return this.#taint(told, 'cancelled', `a client cancelled a call of tool '${tool.name}'`);
  }

  /** Adds the state, which `save` has the author's code write. */
  async withState(
    told: RunEnding,
    ending: ToolEnding,
    tool: CompiledTool,
    save: () => Promise<string>,
  ): Promise<RunEnding> {
    if (this.#isTainted) return told;
    if (ending.kind === 'timed_out' && !(await settlesWithin(ending.ended, this.#patienceMs))) {
      return this.#taint(told, 'timeout', `${whatTookTooLong(tool, ending.timeoutMs)}, and may still change the state`);
    }
    try {
      return { ...told, saved: await save() };
    } catch (thrown) {
      const { log, secrets } = this.#episode;
      log.error('save failed: the episode cannot be restored any more', { error: toError(thrown) });
      const { message } = toThrown(thrown, (text) => redact(text, secrets));
      return this.#taint(told, 'save_failed', `save failed: ${message}`);
    }
  }

  #taint(told: RunEnding, reason: Taint['reason'], words: string): RunEnding {
    this.#isTainted = true;
    return { ...told, tainted: { reason, words } };
  }
}

// A tool that listens to its signal ends at once; one that does not must not hold up the answer.
const LISTENS_WITHIN_MS = 50;

function whatTookTooLong({ name }: CompiledTool, timeoutMs: number): string {
  return `tool '${name}' ${tookTooLong(timeoutMs)}`;
}
