import { isObject } from '../../../protocol/index.ts';
import { parsed } from '../json.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Answer, Ask, Recorder } from '../recorder.ts';
import { insistStatus, isSame } from './answers.ts';
import { inGroup } from './group.ts';
import { HARMLESS_CALL, nameOf, sessionRequests, splitOf, taskRequests, UNKNOWN, withUnknownSid } from './requests.ts';
import { baseOf, type OrsSubject } from './subject.ts';

const BIG_HEADER_BYTES = 40 * 1024;

/** Group G: what holds for every request. */
export const httpProbes: readonly Probe<OrsSubject>[] = inGroup('HTTP and errors', [
  {
    id: 'G1',
    level: 'specified',
    requirement: 'The body of every error is JSON with a string `detail`, and says so in its Content-Type.',
    source: 'ors-http-api.txt:500-505',
    async run(subject, http) {
      for (const ask of wrongRequests(subject)) insistDetail(await http.ask(ask), nameOf(ask));
    },
  },
  {
    id: 'G2',
    level: 'specified',
    requirement: 'A body that is not JSON is 400.',
    source: 'ors-http-api.txt:495',
    async run({ base }, http) {
      const headers = { 'content-type': 'application/json' };
      for (const body of ['{', 'split=train']) {
        insistStatus(await http.ask({ method: 'POST', path: `${base}/tasks`, headers, body }), 400, `the body ${body}`);
      }
    },
  },
  {
    id: 'G3',
    level: 'specified',
    requirement: 'A body that lacks a field, or has one of the wrong type, is 400.',
    source: 'ors-http-api.txt:495, ors-data-types.txt:426-428',
    async run({ base }, http) {
      for (const body of [{}, { split: 1 }, { split: null }, []]) {
        const answer = await http.ask({ method: 'POST', path: `${base}/tasks`, body });
        insistStatus(answer, 400, `the body ${JSON.stringify(body)}`);
      }
    },
  },
  {
    id: 'G4',
    level: 'specified',
    requirement: 'A request that needs a session and names none in X-Session-ID is 400.',
    source: 'ors-http-api.txt:16',
    run: (subject, http) => insistAll(http, sessionRequests(subject), 400, ' without X-Session-ID'),
  },
  {
    id: 'G5',
    level: 'hardening',
    requirement: 'A blank X-Session-ID counts as none: 400.',
    source: 'ors-sdk 0.1.0 server.py:63-67',
    async run(subject, http) {
      const blank = sessionRequests(subject).map((ask) => ({ ...ask, headers: { 'x-session-id': '   ' } }));
      await insistAll(http, blank, 400, ' with a blank X-Session-ID');
    },
  },
  {
    id: 'G8',
    level: 'hardening',
    requirement:
      'An unknown path is 404 with `detail`; a known one with the wrong method is 405 with `detail` and Allow.',
    source: 'ors-sdk 0.1.0 (FastAPI)',
    async run({ base }, http) {
      const unknown = await http.ask({ method: 'GET', path: `${base}/${UNKNOWN}` });
      insistStatus(unknown, 404, 'an unknown path');
      insistDetail(unknown, 'an unknown path');
      const wrong = await http.ask({ method: 'PUT', path: '/health' });
      insistStatus(wrong, 405, 'PUT /health');
      insistDetail(wrong, 'PUT /health');
      insist(wrong.headers.allow !== undefined, 'a 405 must say in Allow what would be allowed');
    },
  },
  {
    id: 'G9',
    level: 'specified',
    requirement: 'Discovery takes no notice of an X-Session-ID, also of one that nobody knows.',
    source: 'ors-http-api.txt:16',
    async run({ base }, http) {
      for (const path of ['/list_environments', `${base}/tools`, `${base}/splits`]) {
        const plain = await http.ask({ method: 'GET', path });
        const marked = await http.ask({ method: 'GET', path, ...withUnknownSid() });
        const same = plain.status === marked.status && isSame(parsed(plain.text), parsed(marked.text));
        insist(same, `GET ${path} must answer the same with an unknown X-Session-ID`);
      }
    },
  },
  {
    id: 'G10',
    level: 'interop',
    requirement: 'Headers that official clients add (X-Deployment, X-Secrets, X-User-Id, ...) never cause an error.',
    source: 'ors-sdk 0.1.0 _http.py:70-76',
    async run({ base, keyHeaders }, http) {
      const headers = {
        'x-deployment': 'any',
        'x-secrets': Buffer.from('{}').toString('base64'),
        'x-user-id': 'user',
        'x-organisation-id': 'organisation',
        ...(keyHeaders.length === 0 ? { 'x-api-key': 'any' } : {}),
      };
      for (const path of ['/health', '/list_environments', `${base}/tools`, `${base}/splits`]) {
        const plain = await http.ask({ method: 'GET', path });
        insistStatus(await http.ask({ method: 'GET', path, headers }), plain.status, `GET ${path} with more headers`);
      }
    },
  },
  {
    id: 'G11',
    level: 'hardening',
    requirement: 'Where a key is needed, a wrong one is 401 with `detail`, and /health stays open.',
    source: 'ors-sdk 0.1.0 _http.py:40-51',
    async run({ base, keyHeaders }, http) {
      const headers = Object.fromEntries(['x-api-key', ...keyHeaders].map((name) => [name, UNKNOWN]));
      const refused = await http.ask({ method: 'GET', path: `${base}/tools`, headers });
      need(refused.status !== 200, 'the server asks for no key');
      insistStatus(refused, 401, 'a wrong key');
      insistDetail(refused, 'a wrong key');
      insistStatus(await http.ask({ method: 'GET', path: '/health', headers }), 200, 'GET /health with a wrong key');
    },
  },
  {
    id: 'G12',
    level: 'interop',
    requirement: 'Headers of 40 KB are taken: secrets travel in them.',
    source: 'openreward 0.1.112 secrets.py',
    async run({ base }, http) {
      const secrets = JSON.stringify({ long: { value: 'x'.repeat((BIG_HEADER_BYTES * 3) / 4) } });
      const headers = { 'x-secrets': Buffer.from(secrets).toString('base64') };
      insistStatus(
        await http.ask({ method: 'GET', path: `${base}/tools`, headers }),
        200,
        'a request with 40 KB of headers',
      );
    },
  },
  {
    id: 'G15',
    level: 'hardening',
    requirement: 'Paths may end with a slash and may be percent-encoded; encoding that is wrong is 400.',
    source: 'the standard does not say',
    async run({ base, environment }, http) {
      insistStatus(await http.ask({ method: 'GET', path: `${base}/tools/` }), 200, 'a path with a slash at its end');
      const encoded = `%${environment.charCodeAt(0).toString(16).padStart(2, '0')}${baseOf(environment.slice(1)).slice(1)}`;
      insistStatus(await http.ask({ method: 'GET', path: `/${encoded}/tools` }), 200, 'a percent-encoded name');
      insistStatus(await http.ask({ method: 'GET', path: '/%zz/tools' }), 400, 'a name with wrong encoding');
    },
  },
  {
    id: 'G16',
    level: 'hardening',
    requirement: 'A client may call a local server by any name below localhost.',
    source: 'openreward 0.1.112 client.py',
    async run({ isLocal }, http) {
      need(isLocal, 'a gateway in front of the server may need the right Host');
      const answer = await http.ask({ method: 'GET', path: '/health', headers: { host: 'sessions.localhost' } });
      insistStatus(answer, 200, 'GET /health with another Host');
    },
  },
  {
    id: 'G17',
    level: 'hardening',
    requirement: 'Of several mistakes the session is told first: a bad body for an unknown session is 404.',
    source: 'the standard does not say',
    async run({ base }, http) {
      const headers = { 'content-type': 'application/json', ...withUnknownSid().headers };
      const answer = await http.ask({ method: 'POST', path: `${base}/call`, headers, body: '{' });
      insistStatus(answer, 404, 'a bad body for an unknown session');
    },
  },
]);

// One mistake for each route, so that each must say something.
function wrongRequests(subject: OrsSubject): Ask[] {
  const nowhere = taskRequests({ base: baseOf(UNKNOWN) }, { split: UNKNOWN });
  const called = { method: 'POST', path: `${subject.base}/call`, body: HARMLESS_CALL, ...withUnknownSid() };
  return [
    ...taskRequests(subject, { split: UNKNOWN }),
    ...taskRequests(subject, { split: 1 }),
    ...sessionRequests(subject),
    { method: 'POST', path: '/ping', ...withUnknownSid() },
    { method: 'GET', path: `${subject.base}/prompt`, ...withUnknownSid() },
    { method: 'GET', path: `${subject.base}/task_tools`, ...withUnknownSid() },
    called,
    ...(subject.split === undefined ? [] : outOfRange(subject)),
    // A redirect is an answer of another kind; who follows it meets the rest.
    ...nowhere,
  ];
}

function outOfRange(subject: OrsSubject): Ask[] {
  const { name, count } = splitOf(subject);
  return [{ method: 'POST', path: `${subject.base}/task`, body: { split: name, index: count } }];
}

function insistDetail({ status, headers, text }: Answer, what: string): void {
  if (status < 400) return;
  const body = parsed(text);
  insist(/^application\/json\b/i.test(headers['content-type'] ?? ''), `${what}: an error must be application/json`);
  insist(isObject(body) && typeof body.detail === 'string', `${what}: an error must have a string \`detail\``);
}

async function insistAll(http: Recorder, asks: readonly Ask[], status: number, how: string): Promise<void> {
  for (const ask of asks) insistStatus(await http.ask(ask), status, nameOf(ask) + how);
}
