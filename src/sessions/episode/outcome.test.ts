import { expect, test } from 'vitest';
import { OUTCOMES, type Outcome } from '../../core/index.ts';
import { type EndedEpisode, type SessionEnd, toEpisodeOutcome } from './outcome.ts';

const ENDS: readonly SessionEnd[] = ['deleted', 'expired', 'stopped'];
const LAST_CALLS: readonly (Outcome | undefined)[] = [undefined, ...OUTCOMES];

const TABLE: [what: string, episode: Partial<EndedEpisode>, outcome: Outcome][] = [
  ['finished', { finished: true }, 'scored'],
  ['finished, and then left to expire', { finished: true, end: 'expired' }, 'scored'],
  ['finished by a tool, and followed by a call that crashed', { finished: true, lastCall: 'env_error' }, 'scored'],
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
  ['deleted before its first call', {}, 'cancelled'],
  ['deleted while it went well', { lastCall: 'scored' }, 'cancelled'],
  ['deleted after a failure that the model could mend', { lastCall: 'tool_error' }, 'cancelled'],
  ['cut off by a server that stops', { lastCall: 'scored', end: 'stopped' }, 'cancelled'],
  ['forgotten while it went well', { lastCall: 'scored', end: 'expired' }, 'expired'],
  ['forgotten after a failure that the model could mend', { lastCall: 'tool_error', end: 'expired' }, 'expired'],
];

test.each(TABLE)('an episode %s is %j: %s', (_what, episode, outcome) => {
  const plain: EndedEpisode = { end: 'deleted', finished: false, broken: false, lastCall: undefined };
  expect(toEpisodeOutcome({ ...plain, ...episode })).toBe(outcome);
});

test('only a finished episode is scored, whatever else happened, and none is a tool error', () => {
  for (const end of ENDS) {
    for (const lastCall of LAST_CALLS) {
      for (const broken of [true, false]) {
        expect(toEpisodeOutcome({ end, lastCall, broken, finished: true })).toBe('scored');
        expect(['scored', 'tool_error']).not.toContain(toEpisodeOutcome({ end, lastCall, broken, finished: false }));
      }
    }
  }
});
