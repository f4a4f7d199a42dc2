import type { Rewrite } from '../rewriting-proxy.ts';
import { type Breakage, bodyHas, both, edit, isStream, json, on, remembering, status, was, when } from './rewrites.ts';

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
    ['S15'],
    when(
      both(on('POST', /^\/create$/), was(400), (_p, { text }) => text.includes('exist')),
      ({ headers }) => json({ sid: headers['x-session-id'] })(),
    ),
  ],
  ['two /create at once begin a session each', ['S16'], atOnce()],
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

  [
    '/create_session needs a body',
    ['S1', 'S2', 'S3'],
    when(
      both(on('POST', /^\/create_session/), ({ body }) => body === ''),
      json({ detail: 'no body' }, 400),
    ),
  ],
  [
    'env_name is needed',
    ['S8'],
    when(
      both(on('POST', /^\/create$/), ({ body }) => !body.includes('"env_name":"')),
      json({ detail: 'which?' }, 400),
    ),
  ],
  ['a task_spec of the wrong type is 422', ['S12'], when(bodyHas('"task_spec":[]'), status(422))],
  [
    'a task by index is another',
    ['S13'],
    remembering(
      ({ path, body }) => path === '/create' && body.includes('"task_spec":{'),
      both(on('GET', /\/prompt$/), was(200)),
      edit((blocks) => [...blocks, blocks[0]]),
    ),
  ],
  [
    'an id is used up by a refused /create',
    ['S14'],
    remembering(bodyHas('"index":5'), both(on('POST', /^\/create$/), was(200)), json({ detail: 'exists' }, 400)),
  ],
  ['X-Secrets is not read', ['S19'], when(({ headers }) => headers['x-secrets'] === 'no base64 of JSON', status(200))],
  [
    '/delete_session leaves the session alive',
    ['S30'],
    remembering(on('POST', /^\/delete_session/), on('POST', /^\/ping/), json({ status: 'ok' })),
  ],
  [
    'the id of a deleted session is used up',
    ['S31'],
    remembering(on('POST', /^\/delete$/), on('POST', /^\/create$/), json({ detail: 'exists' }, 400)),
  ],
  ['a deleted session takes others along', ['S32'], pingAfterDelete()],
];

// The same /create right after another is taken for the first.
function atOnce(): Rewrite {
  let last = '';
  return ({ path, headers, body }, { status: was }) => {
    const asked = `${path} ${headers['x-session-id']} ${body}`;
    const isRace = path === '/create' && asked === last && was === 400;
    last = asked;
    return isRace ? json({ sid: headers['x-session-id'] })() : undefined;
  };
}

// A gateway that gives out the ids itself, and refuses others.
function onceIssued(): Rewrite {
  const issued = new Set<string>();
  return ({ method, path, headers }, { text }) => {
    for (const [sid] of text.matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g)) if (path === '/create_session') issued.add(sid);
    if (method !== 'POST' || path !== '/create' || issued.has(String(headers['x-session-id']))) return undefined;
    return headers['x-session-id'] === undefined ? undefined : json({ detail: 'unknown id' }, 404)();
  };
}

// Knows no session right after any was deleted.
function pingAfterDelete(): Rewrite {
  let last = '';
  return ({ path }) => {
    const isLost = last === '/delete' && path === '/ping';
    last = path;
    return isLost ? json({ detail: 'no session' }, 404)() : undefined;
  };
}
