export { type LintOptions, lintEnvironment } from './lint/lint.ts';
export { type PlayedEpisode, type PlayedStep, type PlayOptions, play } from './play.ts';
export type { Finding } from './referee/probe.ts';
