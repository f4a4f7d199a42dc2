import { isObject } from '../../../protocol/index.ts';
import { parsed } from '../json.ts';
import { insist, need, type Probe } from '../probe.ts';
import { inputFor, insistRefusal, NO_SUCH_TOOL, sendCall } from './calls.ts';
import { isGuarded, withoutCredentials } from './credentials.ts';
import type { OxpSubject } from './subject.ts';

/** Group S: who may call. */
export const securityProbes: readonly Probe<OxpSubject>[] = [
  {
    id: 'S1',
    group: 'Security',
    level: 'specified',
    requirement: 'A server that asks for no credentials ignores any it is sent',
    source: 'oxp-openapi.json:92-97',
    async run(subject, http) {
      need(!(await isGuarded(subject, http)), 'the server asks for credentials');
      const headers = { authorization: 'Bearer tiltyard-referee' };
      const { status } = await http.ask({ method: 'GET', path: '/tools', headers });
      insist(status === 200, `GET /tools with an unknown bearer token is answered with ${status}`);
    },
  },
  {
    id: 'S2',
    group: 'Security',
    level: 'specified',
    requirement: 'A server that asks for an API key takes it from OXP-API-Key, and accepts no other key',
    source: 'server authentication, API keys',
    async run(subject, http) {
      const key = Object.entries(subject.credentials).find(([name]) => /api-key$/i.test(name))?.[1];
      need(key !== undefined, 'no API key was given to try');
      need(await isGuarded(subject, http), 'the server does not ask for credentials');
      const ask = (value: string) =>
        http.ask({ method: 'GET', path: '/tools', headers: { ...withoutCredentials(subject), 'oxp-api-key': value } });
      const wrong = await ask(`${key}x`);
      insist(wrong.status !== 200, 'a wrong API key is accepted');
      const right = await ask(key);
      insist(right.status === 200, `the API key in OXP-API-Key is answered with ${right.status}`);
    },
  },
  {
    id: 'S3',
    group: 'Security',
    level: 'specified',
    requirement: 'A server that asks for credentials refuses an unsigned token',
    source: 'server authentication, JWT',
    async run(subject, http) {
      need(await isGuarded(subject, http), 'the server does not ask for credentials');
      for (const token of [unsignedToken('none'), unsignedToken('HS256')]) {
        const headers = { ...withoutCredentials(subject), authorization: `Bearer ${token}` };
        const { status } = await http.ask({ method: 'GET', path: '/tools', headers });
        insist(status !== 200, 'GET /tools accepts an unsigned token');
      }
    },
  },
  {
    id: 'S4',
    group: 'Security',
    level: 'specified',
    requirement: 'Missing credentials are reported: 401 to GET /tools, and 400 (or 401) with a message to a call',
    source: 'oxp-call-tool.txt:34-40, oxp-openapi.json:81-83',
    async run(subject, http) {
      need(await isGuarded(subject, http), 'the server does not ask for credentials');
      const headers = withoutCredentials(subject);
      const list = await http.ask({ method: 'GET', path: '/tools', headers });
      insist(list.status === 401, `GET /tools without credentials is answered with ${list.status}, not with 401`);
      const body = { request: { tool_id: NO_SUCH_TOOL } };
      const call = await http.ask({ method: 'POST', path: '/tools/call', headers, body });
      insistRefusal(call, 'a call without credentials', call.status === 401 ? 401 : 400);
    },
  },
  {
    id: 'S5',
    group: 'Security',
    level: 'specified',
    requirement:
      'A tool that needs secrets, authorization or a user does not run without: 400 with missing_requirements',
    source: 'oxp-openapi.json:421-437',
    isActive: true,
    async run(subject, http) {
      const needy = subject.tools.filter(({ hasRequirements }) => hasRequirements);
      need(needy.length > 0, 'no listed tool has requirements');
      for (const tool of needy) {
        const answer = await sendCall(http, { tool_id: tool.id, input: inputFor(tool) });
        insistRefusal(answer, `a call of ${tool.id} without what it requires`);
        const body = parsed(answer.text);
        const isTold = isObject(body) && isObject(body.missing_requirements);
        insist(isTold, `a call of ${tool.id} is refused without missing_requirements`);
      }
    },
  },
];

function unsignedToken(alg: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signature = alg === 'none' ? '' : 'bm9ib2R5';
  // The last second of 2100.
  return [encode({ alg, typ: 'JWT' }), encode({ sub: 'referee', exp: 4_133_980_799 }), signature].join('.');
}
