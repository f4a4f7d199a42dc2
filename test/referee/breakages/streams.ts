import { type Breakage, both, frame, isStream, on, short, when } from './rewrites.ts';

/** What can be wrong with event streams. */
export const streamBreakages: readonly Breakage[] = [
  ['there is no task_id event', ['E1'], frame((text) => text.replace(/event: task_id\n.*\n\n/, ''))],
  ['an event follows the end', ['E1'], frame((text) => `${text}event: done\ndata: 1\n\n`)],
  ['the last event has no blank line', ['E2'], frame((text) => text.replace(/\n\n$/, '\n'))],
  ['an event has no name', ['E1', 'E2'], frame((text) => text.replace(/event: task_id\n/, ''))],
  ['a chunk is lost', ['E4'], frame((text) => text.replace(/event: chunk\n.*\n\n/, ''))],
  [
    'short results are split',
    ['E4'],
    frame((text) =>
      text.replace(/event: end\ndata: (\{"ok".{20})(.*)\n/, 'event: chunk\ndata: $1\n\nevent: end\ndata: $2\n'),
    ),
  ],
  [
    'long results go in one event',
    ['E4', 'E5'],
    frame((text) =>
      text.replace(/\n\nevent: (?:chunk|end)\ndata: (?!\{"ok")/g, '').replace('event: chunk', 'event: end'),
    ),
  ],
  ['data begin with white space', ['E6'], short((text) => text.replace('data: {"ok"', 'data:  {"ok"'))],
  ['separators are not escaped', ['E7'], frame((text) => text.replaceAll('\\u2028', '\u2028'))],
  ['results are indented', ['E8'], short((text) => text.replace('data: {"ok"', 'data: {\ndata:   "ok"'))],
  ['a field has no colon', ['E10'], frame((text) => `retry\n${text}`)],
  ['a stream stays open', ['E12'], when(both(on('POST', /\/call$/), isStream), () => ({ isOpenEnded: true }))],

  ['a line is very long', ['E9'], frame((text) => `: ${'x'.repeat(140_000)}\n\n${text}`)],
];
