import { insist, need, type Probe } from '../probe.ts';
import { insistStatus, isSame, jsonOf, objectOf } from './answers.ts';
import { follow, unknownEnvironment } from './discovery.ts';
import { inGroup } from './group.ts';
import { nameOf, taskRequests, UNKNOWN, withSid } from './requests.ts';
import { baseOf, type OrsSubject } from './subject.ts';

/** Group X: paths without an environment. */
export const redirectProbes: readonly Probe<OrsSubject>[] = inGroup('Paths without an environment', [
  {
    id: 'X1',
    level: 'interop',
    requirement: 'An action without an environment is 308 to that of the first, with its query.',
    source: 'ors-http-api.txt:241, ors-sdk 0.1.0 server.py:182-207',
    async run({ environments, taken }, http) {
      const asks = [
        { method: 'GET', path: '/tools' },
        { method: 'GET', path: '/splits' },
        ...taskRequests({ base: '' }, { split: 'train' }),
      ].filter(({ path }) => !taken.includes(path));
      for (const ask of asks) {
        const answer = await http.ask({ ...ask, path: `${ask.path}?probe=1` });
        insistStatus(answer, 308, nameOf(ask));
        const wanted = `${baseOf(environments[0] ?? '')}${ask.path}?probe=1`;
        const location = answer.headers.location?.replace(/^https?:\/\/[^/]*/i, '');
        insist(location === wanted, `Location must be ${wanted}, and is ${answer.headers.location}`);
      }
    },
  },
  {
    id: 'X2',
    level: 'hardening',
    requirement: "With a live session, /prompt and /task_tools lead to the session's environment.",
    source: 'ors-http-api.txt:241',
    async run({ environments, sessions, base, environment }, http) {
      need(environments.length > 1, 'there is one environment only');
      const sid = await sessions.standing(http);
      for (const action of ['prompt', 'task_tools']) {
        const own = await http.ask({ method: 'GET', path: `${base}/${action}`, ...withSid(sid) });
        const bare = await follow(http, { method: 'GET', path: `/${action}`, ...withSid(sid) });
        insistStatus(bare, 200, `GET /${action}`);
        insist(isSame(jsonOf(bare, action), jsonOf(own, action)), `/${action} must be that of '${environment}'`);
      }
    },
  },
  {
    id: 'X3',
    level: 'specified',
    requirement: 'A server of one environment redirects paths that it does not know to that environment.',
    source: 'ors-http-api.txt:241',
    async run({ environments, base }, http) {
      need(environments.length === 1, 'there are several environments');
      const answer = await http.ask({ method: 'GET', path: `/${UNKNOWN}` });
      insistStatus(answer, 308, `GET /${UNKNOWN}`);
      insist(answer.headers.location?.includes(`${base}/`) === true, `Location must lead to ${base}/`);
    },
  },
  {
    id: 'X4',
    level: 'specified',
    requirement: 'An action on an unknown environment is 404 at once, without a redirect.',
    source: 'ors-http-api.txt:73',
    async run(_subject, http) {
      for (const ask of unknownEnvironment()) insistStatus(await http.ask(ask), 404, nameOf(ask));
    },
  },
  {
    id: 'X5',
    level: 'hardening',
    requirement: 'A redirect never leads to another server.',
    source: 'the standard does not say',
    async run(_subject, http) {
      for (const path of ['//example.org/tools', '//example.org', '/tools//example.org']) {
        const { location = '' } = (await http.ask({ method: 'GET', path })).headers;
        insist(!/^(?:\/\/|[a-z]+:\/\/example\.org)/i.test(location), `GET ${path} must not lead to ${location}`);
      }
    },
  },
  {
    id: 'X6',
    level: 'interop',
    requirement: 'GET /version is `{"version":...,"build_sha":...}`.',
    source: 'openreward 0.1.112 server.py:335',
    async run(_subject, http) {
      const body = objectOf(await http.ask({ method: 'GET', path: '/version' }), 'GET /version');
      insist(typeof body.version === 'string', '`version` must be a string');
      const { build_sha } = body;
      insist(build_sha === null || typeof build_sha === 'string', '`build_sha` must be a string or null');
    },
  },
]);
