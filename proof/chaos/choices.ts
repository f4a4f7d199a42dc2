import type { Random } from '../random.ts';
import type { ChaosTask } from './world.ts';

/** A call that is about to be sent. */
export interface ChosenCall {
  readonly token: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

// The more often, the more there is to go wrong.
const TOOLS = ['quick', 'quick', 'slow', 'slow', 'shared', 'big', 'broken', 'failing', 'deaf', 'unknown'] as const;
const MAX_BIG = 300_000;

/** How an episode shall begin and end; most are well. */
export function chooseTask(random: Random, episode: string): ChaosTask {
  return {
    episode,
    setup: random.chance(0.6) ? 'quick' : random.pick(['slow', 'slow', 'fails', 'hangs', 'deaf'] as const),
    teardown: random.pick(['quick', 'slow', 'fails'] as const),
  };
}

/** A call of some tool, with an input that is wrong now and then. */
export function chooseCall(random: Random, token: string, tool: string = random.pick(TOOLS)): ChosenCall {
  if (random.chance(0.05)) return { token, tool, input: { token: 7, characters: 'many' } };
  if (tool === 'big') return { token, tool, input: { token, characters: 1 + random.below(MAX_BIG) } };
  return { token, tool, input: { token, ms: random.below(60) } };
}
