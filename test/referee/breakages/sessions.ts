import type { Rewrite } from '../rewriting-proxy.ts';
import { type Breakage, bodyHas, both, edit, isStream, json, on, status, was, when } from './rewrites.ts';

/** What can be wrong with sessions. */
export const sessionBreakages: readonly Breakage[] = [
  [
    'ids are no UUIDs',
    ['S1', 'S4'],
    when(
      both(on('POST', /^\/create_session/), ({ headers }) => headers.accept === undefined),
      edit(({ sid }) => ({ sid: `session ${sid}`.replace(' ', '_') })),
    ),
  ],
  [
    '/create_session knows no events',
    ['S3'],
    when(both(on('POST', /^\/create_session/), isStream), json({ sid: '7f1f0e9c-8a3b-4c55-9d7e-2b6a4c1d8e0f' })),
  ],
  ['/create gives no sid', ['S5'], when(both(on('POST', /^\/create$/), was(200)), json({ status: 'created' }))],
  ['ids must come from /create_session', ['S6'], onceIssued()],
  ['an unknown env_name is 400', ['S9'], when(both(on('POST', /^\/create$/), was(404)), status(400))],
  [
    'two sources of a task are 422',
    ['S10', 'S11'],
    when(both(on('POST', /^\/create$/), was(400), bodyHas('"task_spec":{')), status(422)),
  ],
  [
    'a second /create is 200',
    ['S15', 'S16'],
    when(
      both(on('POST', /^\/create$/), was(400), (_p, { text }) => text.includes('exist')),
      ({ headers }) => json({ sid: headers['x-session-id'] })(),
    ),
  ],
  [
    'secrets in the body are refused',
    ['S17'],
    when(both(on('POST', /^\/create$/), bodyHas('"secrets":{"probe":"')), json({ detail: 'extra' }, 422)),
  ],
  [
    'secrets may be numbers',
    ['S18'],
    when(both(on('POST', /^\/create$/), bodyHas('"secrets":{"probe":1')), status(200)),
  ],
  ['a refused toolset is not named', ['S21'], when(bodyHas('toolset_name'), json({ detail: 'bad request' }, 400))],
  [
    'further fields are refused',
    ['S22'],
    when(both(on('POST', /^\/create$/), bodyHas('"tiltyard_unknown":1')), json({ detail: 'extra' }, 400)),
  ],
  ['a ping is in other words', ['S23'], when(both(on('POST', /^\/ping/), was(200)), json({ pong: true }))],
  ['/delete gives nothing', ['S25'], when(both(on('POST', /^\/delete$/), was(200)), json({}))],
  ['a second /delete is 200', ['S26'], when(both(on('POST', /^\/delete$/), was(404)), status(200))],
  [
    '/delete_session of an unknown session is 404',
    ['S29'],
    when(on('POST', /^\/delete_session/), json({ detail: 'no session' }, 404)),
  ],
];

// A gateway that gives out the ids itself, and refuses others.
function onceIssued(): Rewrite {
  const issued = new Set<string>();
  return ({ method, path, headers }, { text }) => {
    for (const [sid] of text.matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g)) if (path === '/create_session') issued.add(sid);
    if (method !== 'POST' || path !== '/create' || issued.has(String(headers['x-session-id']))) return undefined;
    return headers['x-session-id'] === undefined ? undefined : json({ detail: 'unknown id' }, 404)();
  };
}
