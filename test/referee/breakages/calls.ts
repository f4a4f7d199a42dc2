import type { Rewrite } from '../rewriting-proxy.ts';
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
  OUTPUT,
  on,
  status,
  stream,
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

  ['a minimum is not enforced', ['C11'], when(bodyHas('"times":0'), stream({ ok: true, output: OUTPUT }))],
  [
    'numbers must not be text',
    ['C13'],
    when(bodyHas('"number":"1"'), json({ detail: 'Tool input validation error' }, 400)),
  ],
  [
    'null is not left out',
    ['C14'],
    when(both(on('POST', /\/call$/), bodyHas('":null')), json({ detail: 'validation' }, 400)),
  ],
  [
    'further properties are refused',
    ['C15', 'C16'],
    when(bodyHas('tiltyard_further'), json({ detail: 'validation' }, 400)),
  ],
  [
    'names of the language are tools',
    ['C24'],
    when(bodyHas('"name":"constructor"'), stream({ ok: true, output: OUTPUT })),
  ],
  [
    'calls run after the end',
    ['C25'],
    when((_passed, { text }) => text.includes('episode_finished'), stream({ ok: true, output: OUTPUT })),
  ],
  ['a call does not wait for setup', ['C28'], onceRead()],
  [
    'a call ends with its connection',
    ['C31'],
    when(both(bodyHas('"task_id":"'), isStream), () => ({ text: 'event: error\ndata: unknown task_id\n\n' })),
  ],
];

// Refuses calls in sessions whose tools have not been read, which takes until setup is over.
function onceRead(): Rewrite {
  const read = new Set<unknown>();
  return ({ path, headers }, { status }) => {
    const sid = headers['x-session-id'];
    if (path.endsWith('/task_tools')) read.add(sid);
    return path.endsWith('/call') && status === 200 && !read.has(sid)
      ? json({ detail: 'too early' }, 425)()
      : undefined;
  };
}
