import { insist, type Probe } from '../probe.ts';
import { insistStatus, objectOf } from './answers.ts';
import { dataOf, isEventStream, resultText, toEventStream } from './event-stream.ts';
import { inGroup } from './group.ts';
import { sidIn } from './open-sessions.ts';
import { withSid } from './requests.ts';
import type { OrsSubject } from './subject.ts';

const SIDS = 10;
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Group S, first part: the ids of sessions. */
export const sessionIdProbes: readonly Probe<OrsSubject>[] = inGroup('Sessions', [
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
]);
