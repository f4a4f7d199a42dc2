import { randomUUID } from 'node:crypto';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { arrayOf, insistStatus, isSame, objectOf, toolsIn } from './answers.ts';
import { dataOf, isEventStream, resultText, toEventStream } from './event-stream.ts';
import { inGroup } from './group.ts';
import { sidIn } from './open-sessions.ts';
import { splitOf, UNKNOWN, withSid } from './requests.ts';
import { baseOf, type OrsSubject } from './subject.ts';
import { taskAt } from './tasks.ts';

const SIDS = 10;
const RACES = 3;
const RACERS = 4;
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Group S, first half: how sessions begin. Their end is in session-end.ts. */
export const sessionProbes: readonly Probe<OrsSubject>[] = inGroup('Sessions', [
  {
    id: 'S1',
    level: 'specified',
    requirement: 'POST /create_session is `{"sid":...}`, a new UUID each time; it begins no episode.',
    source: 'ors-http-api.txt:206-219, ors-data-types.txt:440',
    async run(_subject, http) {
      const sids = new Set<unknown>();
      for (let count = 0; count < SIDS; count += 1) {
        const answer = await http.ask({ method: 'POST', path: '/create_session' });
        const { sid } = objectOf(answer, 'POST /create_session');
        insist(typeof sid === 'string' && UUID.test(sid), '`sid` must be a UUID');
        sids.add(sid);
      }
      insist(sids.size === SIDS, `${SIDS} requests must give ${SIDS} ids, and gave ${sids.size}`);
      const [sid] = [...sids] as [string];
      insistStatus(await http.ask({ method: 'POST', path: '/ping', ...withSid(sid) }), 404, 'a ping before /create');
    },
  },
  {
    id: 'S2',
    level: 'specified',
    requirement: 'POST /create_session needs no body, no header and no Content-Type.',
    source: 'ors-http-api.txt:209',
    async run(_subject, http) {
      const answer = await http.ask({ method: 'POST', path: '/create_session' });
      insistStatus(answer, 200, 'POST /create_session with nothing');
      insist(sidIn(answer) !== undefined, 'it must give an id');
    },
  },
  {
    id: 'S3',
    level: 'interop',
    requirement: 'To a client that accepts only events, /create_session sends `task_id` with the id, and `end`.',
    source: 'ors-sdk 0.1.0 server.py:450-464',
    async run(_subject, http) {
      const headers = { accept: 'text/event-stream' };
      const answer = await http.ask({ method: 'POST', path: '/create_session', headers });
      insistStatus(answer, 200, 'POST /create_session with Accept: text/event-stream');
      insist(isEventStream(answer), 'the answer must be a stream of events');
      const stream = toEventStream(answer.text);
      insist(stream.events[0]?.event === 'task_id', 'the first event must be `task_id`');
      insist(stream.events.at(-1)?.event === 'end', 'the last event must be `end`');
      const end = resultText(stream) ?? '';
      insist(end === '' || end.includes(dataOf(stream, 'task_id') ?? ''), '`end` must be empty, or have the same id');
    },
  },
  {
    id: 'S4',
    level: 'interop',
    requirement: '/create_session takes bodies, and gives an unused id again to who names it as `task_id`.',
    source: 'ors-sdk 0.1.0 _http.py:159-163',
    async run(_subject, http) {
      const ask = (body: object) => http.ask({ method: 'POST', path: '/create_session', body });
      const first = await ask({});
      insistStatus(first, 200, 'POST /create_session with {}');
      insistStatus(await ask({ env: {} }), 200, 'POST /create_session with `env`');
      const sid = sidIn(first);
      const again = await ask({ task_id: sid });
      insistStatus(again, 200, 'POST /create_session with `task_id`');
      insist(sidIn(again) === sid, 'an unused id must be given again');
    },
  },
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
  {
    id: 'S10',
    level: 'specified',
    requirement: '/create takes a task_spec or a split with an index: both, neither and halves are 400.',
    source: 'ors-http-api.txt:246, ors-data-types.txt:350',
    async run(subject, http) {
      const task_spec = await taskAt(subject, http, 0);
      const { name: split } = splitOf(subject);
      await insistNotCreated(subject, http, [
        {},
        { split },
        { index: 0 },
        { task_spec, split },
        { task_spec, index: 0 },
        { task_spec, split, index: 0 },
      ]);
    },
  },
  {
    id: 'S11',
    level: 'specified',
    requirement: 'An empty task_spec and the index 0 count as given; null counts as left out.',
    source: 'ors-http-api.txt:242-246',
    async run(subject, http) {
      await insistNotCreated(subject, http, [{ ...subject.sessions.body, task_spec: {} }]);
      const sid = await subject.sessions.newSid(http);
      const answer = await subject.sessions.create(http, sid, { ...subject.sessions.body, task_spec: null });
      insistStatus(answer, 200, 'POST /create with task_spec null beside split and index');
    },
  },
  {
    id: 'S12',
    level: 'specified',
    requirement: 'A task_spec that is no object is 400.',
    source: 'ors-http-api.txt:242',
    run: (subject, http) =>
      insistNotCreated(
        subject,
        http,
        [[], 'text', 1].map((task_spec) => ({ task_spec })),
      ),
  },
  {
    id: 'S13',
    level: 'specified',
    requirement: 'A session by split and index has the task that /task gives for them.',
    source: 'ors-http-api.txt:246',
    async run(subject, http) {
      const { environment } = subject;
      const prompt = await promptOf(subject, http);
      need(isSame(prompt, await promptOf(subject, http)), 'the prompt is another each time');
      const task_spec = await taskAt(subject, http, 0);
      const specified = await promptOf(subject, http, { env_name: environment, task_spec });
      insist(isSame(prompt, specified), 'the prompts by split and index, and by task_spec, must be the same');
    },
  },
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
    requirement: 'A second /create for a live session is 400.',
    source: 'ors-http-api.txt:252',
    async run({ sessions }, http) {
      await using session = await sessions.open(http);
      insistStatus(await sessions.create(http, session.sid), 400, 'a second /create');
    },
  },
  {
    id: 'S16',
    level: 'hardening',
    requirement: 'Of several /create for one id at once, one is 200 and the others are 400.',
    source: 'ors-sdk 0.1.0 server.py:380-401',
    async run({ sessions }, http) {
      // More than once: a server that loses the race does not lose it each time.
      for (let round = 0; round < RACES; round += 1) {
        const sid = await sessions.newSid(http);
        const answers = await Promise.all(Array.from({ length: RACERS }, () => sessions.create(http, sid)));
        const statuses = answers.map(({ status }) => status).sort();
        const isRight = statuses.every((status, index) => status === (index === 0 ? 200 : 400));
        insist(
          isRight,
          `of ${RACERS} at once, one must be 200 and the others 400, and they are ${statuses.join(', ')}`,
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
    requirement: 'A secret that is no string is 400.',
    source: 'ors-data-types.txt:342',
    run: (subject, http) => insistNotCreated(subject, http, [{ ...subject.sessions.body, secrets: { probe: 1 } }]),
  },
  {
    id: 'S19',
    level: 'interop',
    requirement: 'Secrets are taken from the header X-Secrets, too; one that cannot be read is 400.',
    source: 'ors-sdk 0.1.0 client/session.py:27-30',
    async run({ sessions }, http) {
      const sid = await sessions.newSid(http);
      const create = (secrets: string) => {
        const headers = { ...withSid(sid).headers, 'x-secrets': secrets };
        return http.ask({ method: 'POST', path: '/create', headers, body: sessions.body });
      };
      insistStatus(await create('no base64 of JSON'), 400, 'POST /create with an X-Secrets that cannot be read');
      const good = Buffer.from(JSON.stringify({ probe: { value: 'secret' } })).toString('base64');
      insistStatus(await create(good), 200, 'POST /create with X-Secrets');
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
    source: 'the texts are silent',
    async run({ sessions }, http) {
      const sid = await sessions.newSid(http);
      const answer = await sessions.create(http, sid, { ...sessions.body, [UNKNOWN]: 1 });
      insistStatus(answer, 200, 'POST /create with a further field');
    },
  },
]);

async function insistNotCreated(subject: OrsSubject, http: Recorder, bodies: readonly object[]): Promise<void> {
  const sid = await subject.sessions.newSid(http);
  for (const body of bodies) {
    const answer = await subject.sessions.create(http, sid, { env_name: subject.environment, ...body });
    insistStatus(answer, 400, `POST /create with ${Object.keys(body).join(', ') || 'no task'}`);
  }
}

async function promptOf(
  { sessions, base }: OrsSubject,
  http: Recorder,
  body: object = sessions.body,
): Promise<unknown> {
  await using session = await sessions.openReady(http, body);
  return arrayOf(
    await http.ask({ method: 'GET', path: `${base}/prompt`, ...withSid(session.sid) }),
    'GET /{env}/prompt',
  );
}

async function toolNames({ environment }: OrsSubject, http: Recorder, sid: string): Promise<string[]> {
  const ask = { method: 'GET', path: `${baseOf(environment)}/task_tools`, ...withSid(sid) };
  return toolsIn(objectOf(await http.ask(ask), 'GET /{env}/task_tools')).map(({ name }) => name);
}
