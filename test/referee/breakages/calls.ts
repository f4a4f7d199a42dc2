import {
  type Breakage,
  bodyHas,
  both,
  editResult,
  frame,
  inOutput,
  isStream,
  JSON_TYPE,
  json,
  on,
  status,
  was,
  when,
} from './rewrites.ts';

/** What can be wrong with tool calls. */
export const callBreakages: readonly Breakage[] = [
  [
    'a stream is called JSON',
    ['C1'],
    when(
      both(on('POST', /\/call$/), ({ headers }) => headers.accept === 'application/json'),
      (_p, { headers }) => ({ headers: { ...headers, ...JSON_TYPE } }),
    ),
  ],
  [
    'a stream may be cached',
    ['C2'],
    when(isStream, (_p, { headers }) => ({ headers: { ...headers, 'cache-control': 'max-age=60' } })),
  ],
  [
    'an output lacks metadata',
    ['C3', 'C22'],
    editResult((result) => (result.ok ? { ok: true, output: { ...result.output, metadata: undefined } } : result)),
  ],
  ['a failure has an output, too', ['C4'], editResult((result) => (result.ok ? result : { ...result, output: null }))],
  ['a result has both', ['C5'], editResult((result) => (result.ok ? { ...result, error: null } : result))],
  [
    'a call without a name is 422',
    ['C6'],
    when(
      both(on('POST', /\/call$/), was(400), ({ body }) => !body.includes('"name":"')),
      status(422),
    ),
  ],
  [
    'a call without an input is 422',
    ['C7'],
    when(
      both(on('POST', /\/call$/), was(400), ({ body }) => body.includes('"name":"tilt') && !body.includes('task_id')),
      status(422),
    ),
  ],
  [
    'an unknown tool is 400',
    ['C8'],
    when(
      both(
        on('POST', /\/call$/),
        was(404),
        bodyHas('"name":"tiltyard_unknown"'),
        ({ headers }) => headers['user-agent'] === undefined,
      ),
      (_p, { text }) => (text.includes('not a valid tool') ? { status: 400 } : {}),
    ),
  ],
  [
    'official clients get an unknown tool by status',
    ['C8a'],
    when(
      both(({ headers }) => headers['user-agent'] !== undefined, bodyHas('"name":"tiltyard_unknown"')),
      json({ detail: 'no such tool' }, 404),
    ),
  ],
  [
    'a bad input is 422',
    ['C9'],
    when(
      both(on('POST', /\/call$/), was(400), (_p, { text }) => text.includes('validation')),
      status(422),
    ),
  ],
  [
    'a bad input is not explained',
    ['C9a', 'C10'],
    when(
      both(on('POST', /\/call$/), (_p, { text }) => text.includes('validation')),
      (_p, { text }) => ({ text: text.replace(/Tool input validation error[^"]*/, 'bad input') }),
    ),
  ],
  ['any environment may be called', ['C17'], when(both(on('POST', /^\/other\/call$/), was(404)), status(200))],
  ['a call in a deleted session is 404', ['C18'], when(was(410), status(404))],
  [
    'an error is followed by an end',
    ['C19'],
    frame((text) => (text.includes('event: error') ? `${text}event: end\ndata: {"ok":false,"error":""}\n\n` : text)),
  ],
  ['blocks may be empty', ['C21'], inOutput({ blocks: [] })],
  [
    'finished is text',
    ['C22'],
    editResult((result) =>
      result.ok && !result.output.finished ? { ...result, output: { ...result.output, finished: 'no' } } : result,
    ),
  ],
  ['a reward is text', ['C22'], inOutput({ reward: '0' })],
];
