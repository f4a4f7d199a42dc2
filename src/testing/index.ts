export { type LintOptions, lintEnvironment, lintRules } from './lint/lint.ts';
export { type PlayedEpisode, type PlayedStep, type PlayOptions, play } from './play.ts';
