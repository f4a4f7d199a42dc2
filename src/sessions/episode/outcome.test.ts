import { expect, test } from 'vitest';
import { CALL_OUTCOMES, type CallOutcome, type EpisodeOutcome } from '../../core/index.ts';
import { type EndedEpisode, type SessionEnd, toEpisodeOutcome } from './outcome.ts';

const ENDS: readonly SessionEnd[] = ['deleted', 'expired', 'stopped', 'lost'];
const LAST_CALLS: readonly (CallOutcome | undefined)[] = [undefined, ...CALL_OUTCOMES];

const TABLE: [what: string, episode: Partial<EndedEpisode>, outcome: EpisodeOutcome][] = [
  ['finished', { finished: true }, 'finished'],
  ['finished, and then left to expire', { finished: true, end: 'expired' }, 'finished'],
  ['finished by a tool, and followed by a call that crashed', { finished: true, lastCall: 'env_error' }, 'finished'],
  ['that could not be set up', { broken: true }, 'env_error'],
  ['that could not be set up, and was forgotten', { broken: true, end: 'expired' }, 'env_error'],
  ['given up after a call that crashed', { lastCall: 'env_error' }, 'env_error'],
  ['forgotten after a call that crashed', { lastCall: 'env_error', end: 'expired' }, 'env_error'],
  ['given up after a call that took too long', { lastCall: 'timeout' }, 'timeout'],
  ['forgotten after a call that took too long', { lastCall: 'timeout', end: 'expired' }, 'timeout'],
  [
    'cut off by a server that stops, after a call that took too long',
    { lastCall: 'timeout', end: 'stopped' },
    'timeout',
  ],
  ['lost while it went well', { lastCall: 'returned', end: 'lost' }, 'env_error'],
  ['deleted before its first call', {}, 'cancelled'],
  ['deleted while it went well', { lastCall: 'returned' }, 'cancelled'],
  ['deleted after a failure that the model could mend', { lastCall: 'tool_error' }, 'cancelled'],
  ['cut off by a server that stops', { lastCall: 'returned', end: 'stopped' }, 'cancelled'],
  ['forgotten while it went well', { lastCall: 'returned', end: 'expired' }, 'expired'],
  ['forgotten after a failure that the model could mend', { lastCall: 'tool_error', end: 'expired' }, 'expired'],
];

test.each(TABLE)('an episode %s is %j: %s', (_what, episode, outcome) => {
  const plain: EndedEpisode = { end: 'deleted', finished: false, broken: false, lastCall: undefined };
  expect(toEpisodeOutcome({ ...plain, ...episode })).toBe(outcome);
});

test('only an episode that a tool finished is finished, whatever else happened', () => {
  for (const end of ENDS) {
    for (const lastCall of LAST_CALLS) {
      for (const broken of [true, false]) {
        expect(toEpisodeOutcome({ end, lastCall, broken, finished: true })).toBe('finished');
        expect(toEpisodeOutcome({ end, lastCall, broken, finished: false })).not.toBe('finished');
      }
    }
  }
});
