import { randomUUID } from 'node:crypto';
import { insist, type Probe } from '../probe.ts';
import type { Answer, Recorder } from '../recorder.ts';
import { insistStatus, objectOf } from './answers.ts';
import { inGroup } from './group.ts';
import { withSid, withUnknownSid } from './requests.ts';
import type { OrsSubject } from './subject.ts';

/** Group S, last part: how sessions are kept and end. */
export const sessionEndProbes: readonly Probe<OrsSubject>[] = inGroup('Sessions', [
  {
    id: 'S23',
    level: 'specified',
    requirement: 'POST /ping is `{"status":"ok"}` for a live session, and 404 for an unknown one.',
    source: 'ors-http-api.txt:256-269',
    async run({ sessions }, http) {
      await using session = await sessions.open(http);
      const body = objectOf(await post(http, '/ping', session.sid), 'a ping');
      insist(body.status === 'ok', '`status` must be "ok"');
      const unknown = await http.ask({ method: 'POST', path: '/ping', ...withUnknownSid() });
      insistStatus(unknown, 404, 'a ping of an unknown session');
    },
  },
  {
    id: 'S25',
    level: 'specified',
    requirement: 'POST /delete is 200 with the `sid`, and the session is gone.',
    source: 'ors-http-api.txt:272-286',
    async run({ sessions }, http) {
      const { sid } = await sessions.open(http);
      const body = objectOf(await post(http, '/delete', sid), 'POST /delete');
      insist(body.sid === sid, '`sid` must be that of the session');
      insistStatus(await post(http, '/ping', sid), 404, 'a ping after /delete');
    },
  },
  {
    id: 'S26',
    level: 'specified',
    requirement: 'POST /delete of a session that is unknown, or deleted already, is 404.',
    source: 'ors-http-api.txt:285',
    async run({ sessions }, http) {
      const unknown = await http.ask({ method: 'POST', path: '/delete', ...withUnknownSid() });
      insistStatus(unknown, 404, 'POST /delete of an unknown session');
      const { sid } = await sessions.open(http);
      await post(http, '/delete', sid);
      insistStatus(await post(http, '/delete', sid), 404, 'a second /delete');
    },
  },
  {
    id: 'S29',
    level: 'specified',
    requirement: 'POST /delete_session is 200 with the `sid`, whatever became of the session.',
    source: 'ors-http-api.txt:288-299',
    async run({ sessions }, http) {
      const { sid } = await sessions.open(http);
      await post(http, '/delete', sid);
      for (const each of [sid, randomUUID()]) {
        const body = objectOf(await post(http, '/delete_session', each), 'POST /delete_session');
        insist(body.sid === each, '`sid` must be the one in X-Session-ID');
      }
    },
  },
  {
    id: 'S30',
    level: 'hardening',
    requirement: 'POST /delete_session ends a session that is still live.',
    source: 'ors-http-api.txt:288-299',
    async run({ sessions }, http) {
      const { sid } = await sessions.open(http);
      await post(http, '/delete_session', sid);
      insistStatus(await post(http, '/ping', sid), 404, 'a ping after /delete_session');
    },
  },
  {
    id: 'S31',
    level: 'hardening',
    requirement: 'The id of a deleted session can be used again.',
    source: 'ors-sdk 0.1.0 server.py',
    async run({ sessions }, http) {
      const { sid } = await sessions.open(http);
      await post(http, '/delete', sid);
      insistStatus(await sessions.create(http, sid), 200, 'POST /create after /delete');
    },
  },
  {
    id: 'S32',
    level: 'hardening',
    requirement: 'Deleting a session leaves others as they are.',
    source: 'ors-data-types.txt:440',
    async run({ sessions }, http) {
      await using kept = await sessions.open(http);
      const { sid } = await sessions.open(http);
      await post(http, '/delete', sid);
      insistStatus(await post(http, '/ping', kept.sid), 200, 'a ping of the other session');
    },
  },
]);

function post(http: Recorder, path: string, sid: string): Promise<Answer> {
  return http.ask({ method: 'POST', path, ...withSid(sid) });
}
