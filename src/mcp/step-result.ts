import type { CallOutcome } from '../core/index.ts';
import type { JsonObject, ToolOutput } from '../protocol/index.ts';
import { toContent } from './content.ts';
import type { McpResult } from './face.ts';

/** Who reads results: orchestrators also hear what a step has paid. */
export type Reader = 'agent' | 'orchestrator';

/** What is said at the end of the last result. */
const EPISODE_ENDED = 'The episode has ended. No more tools can be called: stop here.';

/** What a step gave. */
export function toStepResult(
  { blocks, reward, finished }: Pick<ToolOutput, 'blocks' | 'reward' | 'finished'>,
  reader: Reader,
): McpResult {
  const content = toContent(blocks);
  const meta = stepMeta(reader, { reward, finished, outcome: 'returned' });
  return { content: finished ? [...content, { type: 'text', text: EPISODE_ENDED }] : content, meta };
}

/** What is known of a step beside what the agent sees. */
export interface StepFacts {
  readonly reward: number | null;
  readonly finished: boolean;
  readonly outcome: CallOutcome;
}

/** What only orchestrators are told: programs keep it from their model, but an agent's program may do as it likes. */
export function stepMeta(reader: Reader, { reward, finished, outcome }: StepFacts): JsonObject | undefined {
  if (reader === 'agent') return undefined;
  return { 'tiltyard/reward': reward, 'tiltyard/finished': finished, 'tiltyard/outcome': outcome };
}
