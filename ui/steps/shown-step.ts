import type { JsonObject, JsonValue, WireBlock } from '../../src/protocol/index.ts';
import type { Divergence, LiveStep, Problem, ProblemKind, Step } from '../../src/studio/api.ts';

/** A step as all pages show it: of a play, of a session that is followed, or of a record. */
export interface ShownStep {
  readonly key: string;
  /** What stands before it: its number, from 1. */
  readonly number: number;
  readonly tool: string;
  /** Undefined where it is not known. */
  readonly input?: JsonValue | undefined;
  readonly status: 'running' | 'returned' | 'failed' | 'cancelled';
  readonly startedAt: number;
  /** Null while it runs. */
  readonly ms: number | null;
  readonly blocks?: readonly WireBlock[] | undefined;
  readonly reward: number | null;
  readonly finished: boolean;
  readonly metadata?: JsonObject | null | undefined;
  readonly problem?: Pick<Problem, 'kind' | 'message' | 'whole' | 'advice'>;
  readonly isReplay?: boolean;
  readonly divergences?: readonly Divergence[];
}

// What a glance at a step shows of its output.
const GLANCE = { lines: 5, width: 60 };

/** Whether a glance does not show all of a step's output. */
export function isLong({ blocks = [] }: Pick<ShownStep, 'blocks'>): boolean {
  const linesOf = (text: string) =>
    text.split('\n').reduce((sum, { length }) => sum + Math.max(1, length / GLANCE.width), 0);
  return (
    blocks.reduce((sum, block) => sum + (block.type === 'text' ? linesOf(block.text) : GLANCE.lines), 0) > GLANCE.lines
  );
}

/** A step of a play. */
export function fromPlay(step: Step): ShownStep {
  const { n, tool, input, status, startedAt, ms, result, problem, isReplay, divergences } = step;
  return {
    key: String(n),
    number: n + 1,
    tool,
    input,
    status,
    startedAt,
    ms,
    blocks: result === null ? undefined : blocksOf(result.blocks, result.value),
    reward: result?.reward ?? null,
    finished: result?.finished ?? false,
    metadata: result?.metadata,
    ...(problem === null ? {} : { problem }),
    isReplay,
    divergences,
  };
}

/** A step of a session that is followed. */
export function fromLive(step: LiveStep, at: number): ShownStep {
  const { id, tool, input, outcome, startedAt, ms, blocks, reward, finished, error } = step;
  const failed = outcome !== null && outcome !== 'returned';
  return {
    key: id,
    number: at + 1,
    tool,
    input,
    status: outcome === null ? 'running' : outcome === 'cancelled' ? 'cancelled' : failed ? 'failed' : 'returned',
    startedAt,
    ms,
    blocks,
    reward,
    finished,
    ...(failed ? { problem: { kind: kindOf(outcome), message: error ?? outcome, advice: null } } : {}),
  };
}

/** Whose failure an outcome is. */
export function kindOf(outcome: string): ProblemKind {
  const kinds: Readonly<Record<string, ProblemKind>> = {
    tool_error: 'tool',
    env_error: 'environment',
    timeout: 'environment',
    cancelled: 'cancelled',
    expired: 'session',
  };
  return kinds[outcome] ?? 'server';
}

/** The sum of the rewards up to each step; null as long as none was paid, which is not the same as 0. */
export function runningTotals(steps: readonly Pick<ShownStep, 'reward'>[]): (number | null)[] {
  let total: number | null = null;
  return steps.map(({ reward }) => {
    if (reward !== null) total = (total ?? 0) + reward;
    return total;
  });
}

/** What an OXP tool returned has no blocks: its value is shown instead. */
function blocksOf(blocks: readonly WireBlock[], value: JsonValue | undefined): readonly WireBlock[] {
  if (blocks.length > 0 || value === undefined) return blocks;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return [{ type: 'text', text, detail: null }];
}
