// Runs

export { type CommandAgentOptions, commandAgent } from './agents/command/command-agent.ts';
export { AGENT_CLIS, type AgentCli, agentCli } from './agents/command/presets.ts';
export { modelAgent } from './agents/model-agent.ts';
export { randomAgent } from './agents/random-agent.ts';
export type { ScriptedCall, Solve } from './agents/scripted-agent.ts';
export { type Comparison, compareRuns, compareStates, type NamedState } from './compare.ts';
// Formats of others
export { EXPORT_FORMATS, type ExportFormat, type ExportOptions, exportRun } from './exports/export-run.ts';
export { ParquetMissing } from './exports/parquet.ts';
// What is in the folder of a run
export type { EpisodeLine, TokenCounts } from './folder/episode-line.ts';
export { isInUse, RunInUse } from './folder/lock.ts';
export type { PlannedEpisode } from './folder/plan-file.ts';
export type { RunFile, RunIdentity, Selection } from './folder/run-file.ts';
export { RUN_FILES, RunFolderError, readRunFile, recordPath, writeWhole } from './folder/run-folder.ts';
export type { ModelToolCall, ToolReply } from './models/wire.ts';
export { RunOptionError } from './option-error.ts';
export type { AgentChoice, RolloutOptions } from './options.ts';
// How attempts end
export type { RewardRule, Scoring, UnfinishedRule } from './outcome/reward.ts';
export { STOPS, type StopRule } from './outcome/stops.ts';
// Agents
export type { Agent, AgentEpisode, ToolAnswer } from './play/agent.ts';
export type { Conversation, EpisodeModel, ModelAnswer, Opening } from './play/conversation.ts';
export type { RunEnding } from './play-all.ts';
export type { Progress } from './progress.ts';
export { type ReportData, readReportData } from './report-data.ts';
export { type Rescore, type RescoredEpisode, type RescoreOptions, rescore } from './rescore.ts';
export { type RunResult, rollouts } from './rollouts.ts';
export { RunState, selectionFilter, type TaskScore } from './run-state.ts';
export type { Price } from './schedule/budget.ts';
// Statistics
export { type Bin, DoublingBins, EvenBins } from './statistics/bins.ts';
export type { Estimate } from './statistics/estimate.ts';
export type { Interval } from './statistics/interval.ts';
export type { PassRate } from './statistics/passes.ts';
export { type EpisodeCounts, type Summary, summarize } from './summary.ts';
