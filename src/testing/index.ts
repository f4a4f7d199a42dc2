// The referee and the lint, which live in `tiltyard/checking` and were first exported from here
export {
  type Answer,
  type Ask,
  type CheckOptions,
  type CheckProgress,
  type CheckReport,
  type CodeAtHand,
  checkServer,
  countOutcomes,
  type Exchange,
  type Finding,
  generateInput,
  type Incidents,
  type Judgement,
  type JudgementOutcome,
  type JudgeOptions,
  judge,
  type KnownFailure,
  keyOf,
  type Level,
  type LintOptions,
  type LintProgress,
  lintEnvironment,
  type ProtocolReport,
  type Requirement,
  type RewardRange,
  type SampleSize,
  toBaseline,
  type Verdict,
} from '../checking/index.ts';
// What the types below name of other entry points
export type { InputArguments, ToolSpec, WireBlock } from '../client/index.ts';
export type { Log } from '../core/index.ts';
export type { Limits, SessionRules } from '../server/index.ts';
// Episodes that were recorded, served again
export { cassette } from './cassette/cassette.ts';
// An episode in process
export { type PlayedEpisode, type PlayedStep, type PlayOptions, play } from './play.ts';
export { record } from './record.ts';
export type { TestServer, TestServerOptions } from './served.ts';
