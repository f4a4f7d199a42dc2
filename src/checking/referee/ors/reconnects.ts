import { randomUUID } from 'node:crypto';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { insistStatus, isSame } from './answers.ts';
import { hasTaskId } from './calls.ts';
import { isEventStream } from './event-stream.ts';
import { inGroup } from './group.ts';
import { withSid } from './requests.ts';
import type { CallRecord, CallRequest } from './sampled-calls.ts';
import type { OrsSubject } from './subject.ts';

/** Group R: coming back for a result by its task_id. */
export const reconnectProbes: readonly Probe<OrsSubject>[] = inGroup('Reconnects', [
  {
    id: 'R1',
    level: 'specified',
    requirement: 'The server makes a task_id for each call, and never the same twice.',
    source: 'ors-http-api.txt:384',
    isActive: true,
    async run({ calls }, http) {
      const seen = new Set<string>();
      await calls.each(http, ({ taskId, request }) => {
        insist(taskId !== undefined && taskId.trim() !== '', `a call of '${request.name}' has no task_id`);
        insist(!seen.has(taskId), `the task_id ${taskId} was there before`);
        seen.add(taskId);
      });
    },
  },
  {
    id: 'R2',
    level: 'specified',
    requirement: 'A call with the task_id of one that was begun gives the same id and the same result.',
    source: 'ors-http-api.txt:381, ors-data-types.txt:165',
    isActive: true,
    async run({ calls, sessions }, http) {
      const request = await calls.good(http);
      const sid = await sessions.standing(http);
      let second: Promise<CallRecord> | undefined;
      const watch = (received: string) => {
        const [, id] = hasTaskId(received) ? (/^data: ?(\S+)/m.exec(received) ?? []) : [];
        if (id !== undefined) second ??= calls.make(http, { ...request, task_id: id }, { sid });
        return undefined;
      };
      const first = await calls.make(http, request, { sid, watch });
      need(second !== undefined, 'no `task_id` came; see E1');
      insistSame(first, await second);
      sessions.retire();
    },
  },
  {
    id: 'R3',
    level: 'specified',
    requirement: 'The result of a call that has ended is kept, and given to who names its task_id.',
    source: 'ors-http-api.txt:381, ors-tools.txt:107',
    isActive: true,
    async run(subject, http) {
      const first = await begin(subject, http);
      insistSame(first, await again(subject, http, first));
    },
  },
  {
    id: 'R5',
    level: 'specified',
    requirement: 'A task_id that the server never gave is the event `error`, with 200 and without `end`.',
    source: 'ors-http-api.txt:402',
    isActive: true,
    async run({ calls }, http) {
      const task_id = randomUUID().replaceAll('-', '');
      insistUnknown(await calls.make(http, { ...(await calls.good(http)), task_id }));
    },
  },
  {
    id: 'R6',
    level: 'hardening',
    requirement: 'A client may choose the task_id of a new call; a repeat with it gives the same result.',
    source: 'ors-http-api.txt:373, ors-tools.txt:99-104',
    isActive: true,
    async run({ calls }, http) {
      const request = { ...(await calls.good(http)), task_id: `probe-${randomUUID()}` };
      const first = await calls.make(http, request);
      insist(first.result !== undefined, 'a call with an id of our own must give a result');
      insist(first.taskId === request.task_id, '`task_id` must be the id that the client chose');
      insistSame(first, await calls.make(http, request, { sid: first.sid }));
    },
  },
  {
    id: 'R7',
    level: 'specified',
    requirement: 'Who comes back by task_id gets the call of that id, whatever name and input are sent with it.',
    source: 'ors-http-api.txt:381',
    isActive: true,
    async run(subject, http) {
      const first = await begin(subject, http);
      insistSame(
        first,
        await again(subject, http, first, { name: first.request.name, input: { tiltyard_further: 1 } }),
      );
    },
  },
  {
    id: 'R8',
    level: 'interop',
    requirement: 'A call that failed gives its `error` again to who names its task_id.',
    source: 'ors-sdk 0.1.0 _reconnect.py:77',
    isActive: true,
    async run(subject, http) {
      const samples = await subject.calls.samples(http);
      const broken = samples.find(({ error, taskId }) => error !== undefined && taskId !== undefined);
      need(broken !== undefined, 'no tool threw');
      const first = await subject.calls.make(http, broken.request);
      need(first.error !== undefined && first.taskId !== undefined, 'the same call did not fail again');
      const { error } = await again(subject, http, first);
      insist(error === first.error, 'the error must be the same');
    },
  },
  {
    id: 'R9',
    level: 'interop',
    requirement: 'Several clients may come back for one result, and each gets all of it.',
    source: 'ors-sdk 0.1.0 _reconnect.py',
    isActive: true,
    async run(subject, http) {
      const first = await begin(subject, http);
      const readers = await Promise.all([1, 2, 3].map(() => again(subject, http, first)));
      for (const each of readers) insistSame(first, each);
    },
  },
  {
    id: 'R10',
    level: 'hardening',
    requirement: 'A task_id counts in its own session only.',
    source: 'ors-sdk 0.1.0 _reconnect.py:24',
    isActive: true,
    async run(subject, http) {
      const first = await begin(subject, http);
      await using other = await subject.sessions.openReady(http);
      insistUnknown(await again(subject, http, { ...first, sid: other.sid }));
    },
  },
  {
    id: 'R11',
    level: 'specified',
    requirement: 'After /delete, coming back by task_id is 410.',
    source: 'ors-http-api.txt:423',
    isActive: true,
    async run(subject, http) {
      const session = await subject.sessions.openReady(http);
      const first = await subject.calls.make(http, await subject.calls.good(http), session);
      await http.ask({ method: 'POST', path: '/delete', ...withSid(session.sid) });
      insistStatus((await again(subject, http, first)).answer, 410, 'coming back after /delete');
    },
  },
]);

async function begin({ calls }: OrsSubject, http: Recorder): Promise<CallRecord> {
  const first = await calls.make(http, await calls.good(http));
  need(first.result !== undefined && first.taskId !== undefined, 'the call gave no result; see E1');
  return first;
}

type Begun = Pick<CallRecord, 'sid' | 'taskId' | 'request'>;

function again({ calls }: OrsSubject, http: Recorder, { sid, taskId, request }: Begun, other: CallRequest = request) {
  return calls.make(http, { ...other, task_id: taskId }, { sid });
}

function insistSame(first: CallRecord, second: CallRecord): void {
  insist(second.result !== undefined, 'the result must come again');
  insist(second.taskId === first.taskId, `\`task_id\` must be ${first.taskId} again, and is ${second.taskId}`);
  insist(isSame(first.result, second.result), 'the result must be the same');
}

function insistUnknown({ answer, result, error }: CallRecord): void {
  insistStatus(answer, 200, 'a call with an unknown task_id');
  insist(isEventStream(answer) && error !== undefined, 'an unknown task_id must be the event `error`');
  insist(result === undefined, 'no `end` may follow');
}
