import type { Recorder } from '../recorder.ts';
import { insistStatus } from './answers.ts';
import type { OrsSubject } from './subject.ts';

/** Insists that /create refuses each of these bodies. */
export async function insistNotCreated(subject: OrsSubject, http: Recorder, bodies: readonly object[]): Promise<void> {
  const sid = await subject.sessions.newSid(http);
  for (const body of bodies) {
    const answer = await subject.sessions.create(http, sid, { env_name: subject.environment, ...body });
    insistStatus(answer, 400, `POST /create with ${Object.keys(body).join(', ') || 'no task'}`);
  }
}
