import { type Durability, type LazyAbort, printable, TiltyardError } from '../../core/index.ts';
import type { WireBlock } from '../../protocol/index.ts';
import type { RunEnding } from '../call-ending.ts';
import { toldDigest } from '../told-digest.ts';
import type { Episode } from './episode.ts';
import type { Runner } from './runner.ts';
import type { Past, PastStep } from './runtime.ts';

/** What an episode is built again with. */
export interface RebuildParts {
  readonly episode: Episode;
  readonly runner: Runner;
  readonly prompt: () => Promise<readonly WireBlock[]>;
  readonly abort: LazyAbort;
}

/** Builds an episode again, by its contract; the JSON of its state where that is saved. */
export async function rebuild(past: Past, parts: RebuildParts): Promise<string | undefined> {
  const { episode } = parts;
  const saved = await REBUILDERS[episode.environment.durability](past, parts);
  if (past.finished) episode.finished = true;
  return saved;
}

/** Saves the state that setup made. An environment that cannot is broken, and says so before anybody has worked in it. */
export async function firstSave(episode: Episode, abort: LazyAbort): Promise<string | undefined> {
  if (!episode.savesStates || abort.aborted) return undefined;
  try {
    return await episode.save();
  } catch (thrown) {
    throw episode.failure('save', thrown, 'setup_failed');
  }
}

type Rebuilder = (past: Past, parts: RebuildParts) => Promise<string | undefined>;

const REBUILDERS: Record<Durability, Rebuilder> = {
  async replay({ steps }, parts) {
    const { episode, abort } = parts;
    episode.isRepeating = true;
    try {
      await episode.setUp(abort);
      for (const step of steps) {
        if (abort.aborted) break;
        await repeat(step, parts);
      }
    } finally {
      episode.isRepeating = false;
    }
    return undefined;
  },

  async snapshot({ saved, steps }, { episode, abort }) {
    if (saved !== undefined) {
      await episode.restore(saved, abort);
      return saved;
    }
    if (steps.length > 0) throw episode.failure('restore', new Error('no state was saved'), 'restore_failed');
    await episode.setUp(abort);
    return firstSave(episode, abort);
  },

  async none(_past, { episode }) {
    throw episode.failure('restore', new Error("its durability is 'none'"), 'restore_failed');
  },
};

async function repeat(step: PastStep, { episode, runner, prompt, abort }: RebuildParts): Promise<void> {
  if (step.kind === 'prompt') {
    const blocks = await prompt().catch(() => undefined);
    if (blocks === undefined || toldDigest(blocks) !== step.told) throw diverged('the prompt');
    return;
  }
  const { id, name } = step;
  // What it did outside stays done, and in here it has done nothing.
  if (episode.environment.effects[name] === 'external') return;
  // It has changed nothing, and what it told may depend on the moment in which it ran.
  if (episode.tools.get(name)?.concurrent) return;
  const ending = await runAgain(step, runner, abort);
  if (ending !== undefined && toldDigest(ending) !== step.told)
    throw diverged(`call '${printable(id)}' of tool '${name}'`);
}

/** Undefined if it was aborted. */
function runAgain(
  { id, attempt, name, input }: Extract<PastStep, { kind: 'call' }>,
  runner: Runner,
  abort: LazyAbort,
): Promise<RunEnding | undefined> {
  return new Promise((resolve) => {
    const giveUp = () => resolve(undefined);
    abort.signal.addEventListener('abort', giveUp, { once: true });
    const ended = (ending: RunEnding) => {
      abort.signal.removeEventListener('abort', giveUp);
      resolve(ending);
    };
    // A copy: defaults are written into it, and it may be needed once more.
    const request = { call: NO_CALL, id, attempt, name, input: structuredClone(input) };
    runner.run(request, { accepted() {}, running() {}, ended });
  });
}

// Observers know of no call with this number: nobody called.
const NO_CALL = -1;

function diverged(what: string): TiltyardError {
  const message = `${what} did not give the same result again, so that the episode cannot go on`;
  return new TiltyardError('diverged', message);
}
