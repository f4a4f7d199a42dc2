import type { Failure } from '../core/index.ts';

/** Why nothing new begins while a journal cannot be written. */
export const UNAVAILABLE: Failure = {
  code: 'journal_unavailable',
  message: 'the journal of the server cannot be written at the moment, so nothing new can begin. Try again later',
};
