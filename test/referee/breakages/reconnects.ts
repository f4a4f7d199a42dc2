import { type Breakage, bodyHas, both, frame, isStream, json, on, status, was, when } from './rewrites.ts';

/** What can be wrong with reconnects. */
export const reconnectBreakages: readonly Breakage[] = [
  [
    'ids are used again',
    ['R1', 'R2', 'R3', 'R6', 'R7', 'R8', 'R9'],
    frame((text) => text.replace(/(event: task_id\ndata: ).*/, `$1${'a'.repeat(32)}`)),
  ],
  [
    'results are not kept',
    ['R2', 'R3', 'R6', 'R7', 'R9'],
    when(
      both(bodyHas('"task_id":"'), isStream, (_p, { text }) => text.includes('event: end')),
      () => ({ text: 'event: error\ndata: unknown task_id\n\n' }),
    ),
  ],
  [
    'an unknown task_id is 404',
    ['R5', 'R10'],
    when((_p, { text }) => text.startsWith('event: error'), json({ detail: 'unknown task_id' }, 404)),
  ],
  [
    'the server chooses all ids',
    ['R6'],
    when(bodyHas('"task_id":"probe-'), (_p, { headers }) => ({
      headers,
      text: 'event: error\ndata: unknown task_id\n\n',
    })),
  ],
  ['results outlive their session', ['R11'], when(both(was(410), on('POST', /\/call$/)), status(404))],
  ['a task_id may be a number', ['R12'], when(both(was(400), bodyHas('"task_id":5')), status(404))],
];
