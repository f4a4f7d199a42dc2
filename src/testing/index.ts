export { type PlayedEpisode, type PlayedStep, type PlayOptions, play } from './play.ts';
