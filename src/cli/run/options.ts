import type { JsonObject } from '../../protocol/index.ts';
import type { AgentCli, RewardRule, UnfinishedRule } from '../../rollouts/index.ts';

/** Programs whose configuration is known; the same as in the runner, which is loaded later. */
export const AGENT_CLIS: readonly AgentCli[] = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'goose'];

/** What a person says of a run, on the command line or in a file. */
export interface RunOptions {
  readonly model?: string;
  readonly policy?: string;
  readonly agent?: string;
  readonly agentCli?: AgentCli;
  /** A program that plays, and its arguments. Only on the command line. */
  readonly program?: readonly string[];
  readonly environment?: string;
  readonly split?: string;
  readonly n?: number;
  readonly from?: number;
  readonly indices?: readonly number[];
  readonly k?: number;
  readonly seed?: number;
  readonly out?: string;
  readonly resume?: boolean;
  readonly config?: string;
  readonly tag?: readonly string[];
  readonly concurrency?: number | 'auto';
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  readonly timeout?: number;
  readonly retries?: number;
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly budgetTime?: number;
  readonly prices?: string;
  readonly reward?: RewardRule;
  readonly unfinished?: UnfinishedRule;
  readonly pass?: number;
  readonly cluster?: string;
  readonly failUnder?: number;
  readonly minCoverage?: number;
  readonly secret?: readonly string[];
  readonly json?: boolean;
  /** Only in a file. */
  readonly parameters?: JsonObject;
  readonly system?: string;
}
