import { randomUUID } from 'node:crypto';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { insistStatus, isSame, objectOf, toolsIn } from './answers.ts';
import { inGroup } from './group.ts';
import { insistNotCreated } from './insist-refused.ts';
import { HARMLESS_CALL, splitOf, UNKNOWN, withSid } from './requests.ts';
import { sessionTaskProbes } from './session-tasks.ts';
import type { OrsSubject } from './subject.ts';

const RACES = 3;
const RACERS = 4;

/** Group S, second part: how sessions begin. */
export const sessionProbes: readonly Probe<OrsSubject>[] = inGroup('Sessions', [
  {
    id: 'S5',
    level: 'specified',
    requirement: 'POST /create is 200 with the `sid` of its header.',
    source: 'ors-http-api.txt:247-250',
    async run({ sessions }, http) {
      const sid = await sessions.newSid(http);
      const body = objectOf(await sessions.create(http, sid), 'POST /create');
      insist(body.sid === sid, '`sid` must be the one in X-Session-ID');
    },
  },
  {
    id: 'S6',
    level: 'interop',
    requirement: 'POST /create takes an id that did not come from /create_session.',
    source: 'ors-sdk 0.1.0 tests/test_server.py:190-202',
    async run({ sessions }, http) {
      insistStatus(await sessions.create(http, randomUUID()), 200, 'POST /create with an id of our own');
    },
  },
  {
    id: 'S8',
    level: 'specified',
    requirement: 'Without `env_name`, or with null, /create means the first environment.',
    source: 'ors-http-api.txt:241, ors-data-types.txt:345',
    async run(subject, http) {
      const { environments, environment, sessions } = subject;
      need(environment === environments[0], 'the first environment has no tasks');
      const { env_name: _name, ...body } = sessions.body;
      for (const form of [body, { ...body, env_name: null }]) {
        const sid = await sessions.newSid(http);
        insistStatus(await sessions.create(http, sid, form), 200, 'POST /create without `env_name`');
        const wanted = await toolNames(subject, http, await sessions.standing(http));
        const found = await toolNames(subject, http, sid);
        insist(isSame(found, wanted), `the session must have the tools of '${environment}'`);
      }
    },
  },
  {
    id: 'S9',
    level: 'specified',
    requirement: 'An unknown `env_name` is 404.',
    source: 'ors-http-api.txt:253',
    async run({ sessions }, http) {
      const sid = await sessions.newSid(http);
      for (const env_name of [UNKNOWN, '']) {
        const answer = await sessions.create(http, sid, { ...sessions.body, env_name });
        insistStatus(answer, 404, `POST /create with env_name '${env_name}'`);
      }
    },
  },
  // Here, because a report goes by the numbers of the requirements.
  ...sessionTaskProbes,
  {
    id: 'S14',
    level: 'interop',
    requirement: 'A /create that is refused leaves the id free.',
    source: 'ors-sdk 0.1.0 server.py:394-399',
    async run(subject, http) {
      const { sessions } = subject;
      const { count } = splitOf(subject);
      const sid = await sessions.newSid(http);
      const refused = await sessions.create(http, sid, { ...sessions.body, index: count });
      insistStatus(refused, 400, 'POST /create with an index out of range');
      insistStatus(await sessions.create(http, sid), 200, 'a good /create afterwards');
    },
  },
  {
    id: 'S15',
    level: 'specified',
    requirement: 'A second /create for a live session is 400: with another task, and after a call.',
    source: 'ors-http-api.txt:252',
    async run(subject, http) {
      const { sessions, base } = subject;
      await using session = await sessions.openReady(http);
      // Not the same once more: servers that keep episodes answer a client that was cut off, and asks again, with 200.
      if (splitOf(subject).count > 1) {
        const answer = await sessions.create(http, session.sid, { ...sessions.body, index: 1 });
        insistStatus(answer, 400, 'a second /create, with another task,');
      }
      await http.ask({ method: 'POST', path: `${base}/call`, ...withSid(session.sid), body: HARMLESS_CALL });
      insistStatus(await sessions.create(http, session.sid), 400, 'a second /create, after a call,');
    },
  },
  {
    id: 'S16',
    level: 'hardening',
    requirement:
      'Of several /create for one id at once, one is 200 and the others are 400; or 200 as well, where a repeated one always is.',
    source: 'ors-sdk 0.1.0 server.py:380-401',
    async run({ sessions }, http) {
      // More than once: a server that loses the race does not lose it each time.
      for (let round = 0; round < RACES; round += 1) {
        const sid = await sessions.newSid(http);
        const answers = await Promise.all(Array.from({ length: RACERS }, () => sessions.create(http, sid)));
        const statuses = answers.map(({ status }) => status).sort();
        const [first, second] = statuses;
        const isRight = first === 200 && statuses.every((status) => status === 200 || status === 400);
        const expected = `of ${RACERS} at once, one must be 200 and the others 400`;
        insist(isRight, `${expected}, and they are ${statuses.join(', ')}`);
        if (second === 400) continue;
        // Each has begun a session of its own, unless it is the server's way to answer who asks for the same again.
        insistStatus(await http.ask({ method: 'POST', path: '/ping', ...withSid(sid) }), 200, 'POST /ping afterwards');
        const repeated = await sessions.create(http, sid);
        insist(
          repeated.status === 200,
          `${expected}, and they are ${statuses.join(', ')}, although the same /create afterwards is ${repeated.status}`,
        );
      }
    },
  },
  {
    id: 'S17',
    level: 'specified',
    requirement: '/create takes `secrets`, an object of strings; null means none.',
    source: 'ors-http-api.txt:245, ors-data-types.txt:342,349',
    async run({ sessions }, http) {
      for (const secrets of [{ probe: 'secret' }, {}, null]) {
        const sid = await sessions.newSid(http);
        const answer = await sessions.create(http, sid, { ...sessions.body, secrets });
        insistStatus(answer, 200, `POST /create with secrets ${JSON.stringify(secrets)}`);
      }
    },
  },
  {
    id: 'S18',
    level: 'specified',
    requirement: 'A secret that is not a string is 400.',
    source: 'ors-data-types.txt:342',
    run: (subject, http) => insistNotCreated(subject, http, [{ ...subject.sessions.body, secrets: { probe: 1 } }]),
  },
  {
    id: 'S19',
    level: 'interop',
    requirement: 'Secrets are also taken from the header X-Secrets; one that cannot be read is 400.',
    source: 'ors-sdk 0.1.0 client/session.py:27-30',
    async run({ sessions }, http) {
      const sid = await sessions.newSid(http);
      const headers = { ...withSid(sid).headers, 'x-secrets': 'no base64 of JSON' };
      const unreadable = await http.ask({ method: 'POST', path: '/create', headers, body: sessions.body });
      insistStatus(unreadable, 400, 'POST /create with an X-Secrets that cannot be read');
      const answer = await sessions.createWithHeader(http, sid, { probe: 'secret' });
      insistStatus(answer, 200, 'POST /create with X-Secrets');
    },
  },
  {
    id: 'S21',
    level: 'interop',
    requirement: 'An unknown toolset_name is 400 with "toolset" in its text: harnesses then do without.',
    source: 'openreward 0.1.112 server.py:442-454',
    async run({ sessions }, http) {
      const sid = await sessions.newSid(http);
      const answer = await sessions.create(http, sid, { ...sessions.body, toolset_name: UNKNOWN });
      insistStatus(answer, 400, 'POST /create with an unknown toolset_name');
      insist(/toolset/i.test(answer.text), 'the text must say "toolset"');
    },
  },
  {
    id: 'S22',
    level: 'hardening',
    requirement: 'Fields that the server does not know are ignored.',
    source: 'the standard does not say',
    async run({ sessions }, http) {
      const sid = await sessions.newSid(http);
      const answer = await sessions.create(http, sid, { ...sessions.body, [UNKNOWN]: 1 });
      insistStatus(answer, 200, 'POST /create with a further field');
    },
  },
]);

async function toolNames({ base }: OrsSubject, http: Recorder, sid: string): Promise<string[]> {
  const ask = { method: 'GET', path: `${base}/task_tools`, ...withSid(sid) };
  return toolsIn(objectOf(await http.ask(ask), 'GET /{env}/task_tools')).map(({ name }) => name);
}
