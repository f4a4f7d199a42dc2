import { type Breakage, json, on, status, was, when } from './rewrites.ts';

/** What can be wrong with paths without an environment. */
export const redirectBreakages: readonly Breakage[] = [
  ['an unknown path is redirected with 302', ['X1'], when(was(308), status(302))],
  [
    'a redirect loses the query',
    ['X1'],
    when(was(308), (_p, { headers }) => ({
      headers: { ...headers, location: String(headers.location).replace(/\?.*/, '') },
    })),
  ],
  [
    'an unknown environment is redirected',
    ['X4'],
    when(
      ({ path }) => path.startsWith('/tiltyard_unknown/'),
      ({ path }) => ({ status: 308, headers: { location: `/probed${path}` } }),
    ),
  ],
  [
    'a redirect leads elsewhere',
    ['X5'],
    when(
      ({ path }) => path.startsWith('//'),
      ({ path }) => ({ status: 308, headers: { location: path } }),
    ),
  ],
  ['there is no /version', ['X6'], when(on('GET', /^\/version/), json({ detail: 'Not Found' }, 404))],

  [
    'a path without an environment forgets the session',
    ['X2'],
    when(({ path, headers }) => path === '/prompt' && 'x-session-id' in headers, json({ detail: 'which?' }, 404)),
  ],
];
