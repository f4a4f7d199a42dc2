import { type Breakage, both, json, on, status, was, when } from './rewrites.ts';

/** What can be wrong with HTTP and errors. */
export const httpBreakages: readonly Breakage[] = [
  [
    'errors are text/plain',
    ['G1', 'G8'],
    when(
      (_p, r) => r.status >= 400,
      (_p, r) => ({ headers: { ...r.headers, 'content-type': 'text/plain' } }),
    ),
  ],
  [
    '`detail` is a list',
    ['G1', 'G8'],
    when(
      (_p, r) => r.status >= 400,
      () => ({ text: '{"detail":[{"msg":"wrong"}]}' }),
    ),
  ],
  [
    'a body that is no JSON is 500',
    ['G2'],
    when(
      both(was(400), ({ body }) => body === '{' || body === 'split=train'),
      status(500),
    ),
  ],
  [
    'a bad body is 422',
    ['G3'],
    when(
      both(was(400), on('POST', /\/tasks$/), ({ body }) => body !== '{' && body !== 'split=train'),
      status(422),
    ),
  ],
  [
    'a ping without a session is 404',
    ['G4'],
    when(
      both(on('POST', /^\/ping/), ({ headers }) => headers['x-session-id'] === undefined),
      status(404),
    ),
  ],
  ['a blank session is looked up', ['G5'], when(({ headers }) => headers['x-session-id'] === '', status(404))],
  ['another method is 404', ['G8'], when(was(405), status(404))],
  [
    'discovery looks at the session',
    ['G9'],
    when(
      both(on('GET', /\/tools$/), ({ headers }) => 'x-session-id' in headers),
      json({ detail: 'no session' }, 404),
    ),
  ],
  ['headers of official clients are refused', ['G10'], when(({ headers }) => 'x-deployment' in headers, status(403))],
  [
    'long headers are refused',
    ['G12'],
    when(({ headers }) => (headers['x-secrets'] ?? '').length > 16_000, status(431)),
  ],
  ['a slash at the end is another path', ['G15'], when(({ path }) => path.endsWith('/tools/'), status(404))],
  ['another Host is refused', ['G16'], when(({ headers }) => headers.host === 'sessions.localhost', status(421))],
  [
    'the body is checked before the session',
    ['G17'],
    when(
      both(was(404), ({ body }) => body === '{'),
      status(400),
    ),
  ],

  ['a wrong key is 403', ['G11'], when(({ headers }) => headers['x-api-key'] === 'tiltyard_unknown', status(403))],
];
