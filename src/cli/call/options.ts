import type { EpisodeOptions } from '../shared/episode.ts';

/** The options of `tiltyard call`. */
export interface CallOptions extends EpisodeOptions {
  readonly input?: readonly string[];
  readonly sid?: string;
  readonly secret?: readonly string[];
  readonly user?: string;
  readonly token?: readonly string[];
  readonly images?: string;
  readonly json?: boolean;
}
