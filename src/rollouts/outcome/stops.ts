import type { EpisodeOutcome } from '../../protocol/index.ts';
import type { Fault, Stop } from '../../records/index.ts';

/** What follows from a stop. */
export interface StopRule {
  readonly outcome: EpisodeOutcome;
  readonly fault: Fault;
  /** Whether its rewards are part of the statistics. */
  readonly counts: boolean;
  /** `retry`: another attempt in this run. `owed`: none in this run; `--resume` plays it. */
  readonly next: 'none' | 'retry' | 'owed';
  /** Whether every other episode would end the same way, so that the run stops. */
  readonly stopsRun: boolean;
}

const AGENT: StopRule = { outcome: 'cancelled', fault: 'agent', counts: true, next: 'none', stopsRun: false };
const ENVIRONMENT: StopRule = {
  outcome: 'env_error',
  fault: 'environment',
  counts: false,
  next: 'retry',
  stopsRun: false,
};
const RUNNER: StopRule = { outcome: 'cancelled', fault: 'runner', counts: false, next: 'owed', stopsRun: false };

/** The one table of stops: what each means for the statistics, and whether the episode is played again. */
export const STOPS: Readonly<Record<Stop, StopRule>> = {
  finished: { outcome: 'finished', fault: 'none', counts: true, next: 'none', stopsRun: false },
  gave_up: AGENT,
  max_turns: AGENT,
  max_tokens: AGENT,
  max_time: AGENT,
  context: AGENT,
  refused: AGENT,
  model_error: { outcome: 'cancelled', fault: 'model', counts: false, next: 'retry', stopsRun: false },
  model_refused: { outcome: 'cancelled', fault: 'model', counts: false, next: 'owed', stopsRun: true },
  secrets_missing: { ...RUNNER, stopsRun: true },
  env_error: ENVIRONMENT,
  setup_failed: ENVIRONMENT,
  tool_timeout: { ...ENVIRONMENT, outcome: 'timeout' },
  expired: { ...ENVIRONMENT, outcome: 'expired' },
  lost: { ...ENVIRONMENT, outcome: 'cancelled' },
  agent_threw: { outcome: 'cancelled', fault: 'harness', counts: false, next: 'owed', stopsRun: false },
  interrupted: RUNNER,
  budget: RUNNER,
};
