// Schemas of servers that nobody knows
export { ForeignSchemas } from './foreign/foreign-schemas.ts';
// Rules about environments
export type { CodeAtHand, Incidents } from './lint/code-at-hand.ts';
export { type LintOptions, type LintProgress, lintEnvironment, type SampleSize } from './lint/lint.ts';
export type { RewardRange } from './lint/sample.ts';
// The referee of servers
export {
  type CheckOptions,
  type CheckProgress,
  type CheckReport,
  checkServer,
  type ProtocolReport,
  UnknownPart,
} from './referee/check-server.ts';
export { generateInput, type InvalidInput } from './referee/generate-input.ts';
export {
  countOutcomes,
  type Judgement,
  type JudgementOutcome,
  type JudgeOptions,
  judge,
  type KnownFailure,
  toBaseline,
  type Verdict,
} from './referee/judgement.ts';
export type { Finding, Level, Requirement } from './referee/probe.ts';
export type { Answer, Ask, Exchange } from './referee/recorder.ts';
export { keyOf } from './referee/selection.ts';
