import { isObject } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { insistStatus, isSame, objectOf } from './answers.ts';
import { inGroup } from './group.ts';
import { nameOf, splitOf, taskRequests, UNKNOWN } from './requests.ts';
import type { OrsSubject } from './subject.ts';

// More are not fetched at once, to spare the server.
const MAX_LISTED = 2_000;

/** Group D, second half: splits and their tasks. */
export const taskProbes: readonly Probe<OrsSubject>[] = inGroup('Tasks', [
  {
    id: 'D13',
    level: 'specified',
    requirement: 'POST /{env}/tasks is `{"tasks":[...],"env_name":...}`, with every task of the split.',
    source: 'ors-http-api.txt:100-127',
    async run(subject, http) {
      const { name, count } = splitOf(subject);
      need(count <= MAX_LISTED, `the split has ${count} tasks, which are too many to list`);
      const answer = await http.ask({ method: 'POST', path: `${subject.base}/tasks`, body: { split: name } });
      need(answer.status !== 400, 'the environment does not list tasks; see D15');
      const { tasks, env_name } = objectOf(answer, 'POST /{env}/tasks');
      insist(Array.isArray(tasks) && tasks.every(isObject), '`tasks` must be an array of objects');
      insist(tasks.length === count, `there must be ${count} tasks as /num_tasks says, not ${tasks.length}`);
      insist(typeof env_name === 'string', '`env_name` must be there');
    },
  },
  {
    id: 'D14',
    level: 'specified',
    requirement: 'An unknown split is 400, also in /create; names of splits are case-sensitive.',
    source: 'ors-http-api.txt:129,149,174,201',
    async run(subject, http) {
      for (const split of [UNKNOWN, ...caseChanged(subject)]) {
        for (const ask of taskRequests(subject, { split }))
          insistStatus(await http.ask(ask), 400, `${nameOf(ask)} for split '${split}'`);
      }
      const sid = await subject.sessions.newSid(http);
      const body = { env_name: subject.environment, split: UNKNOWN, index: 0 };
      insistStatus(await subject.sessions.create(http, sid, body), 400, 'POST /create with an unknown split');
    },
  },
  {
    id: 'D15',
    level: 'interop',
    requirement:
      'An environment that cannot list its tasks says 400 with "index-based API", and still gives them one by one.',
    source: 'ors-sdk 0.1.0 server.py:342',
    async run(subject, http) {
      const { name, count } = splitOf(subject);
      need(count <= MAX_LISTED, `the split has ${count} tasks, which are too many to list`);
      const answer = await http.ask({ method: 'POST', path: `${subject.base}/tasks`, body: { split: name } });
      need(answer.status !== 200, 'the environment lists its tasks');
      insistStatus(answer, 400, 'a list that cannot be had');
      insist(answer.text.includes('index-based API'), 'the text must have "index-based API" in it');
      await taskAt(subject, http, 0);
    },
  },
  {
    id: 'D16',
    level: 'specified',
    requirement: 'POST /{env}/num_tasks is `{"num_tasks":n}`, a whole number.',
    source: 'ors-http-api.txt:132-147',
    async run({ base, splits }, http) {
      need(splits.length > 0, 'there are no splits');
      for (const split of splits) {
        const answer = await http.ask({ method: 'POST', path: `${base}/num_tasks`, body: { split } });
        const { num_tasks } = objectOf(answer, 'POST /{env}/num_tasks');
        insist(Number.isInteger(num_tasks) && Number(num_tasks) >= 0, '`num_tasks` must be a whole number');
      }
    },
  },
  {
    id: 'D18',
    level: 'specified',
    requirement: 'POST /{env}/task is `{"task":{...}}`, the task at an index that counts from 0.',
    source: 'ors-http-api.txt:153-172',
    async run(subject, http) {
      const first = await taskAt(subject, http, 0);
      const { tasks } = await rangeOf(subject, http, { start: 0, stop: 1 });
      insist(isSame(tasks[0], first), 'the task at 0 must be the first of the range');
      await taskAt(subject, http, splitOf(subject).count - 1);
    },
  },
  {
    id: 'D19',
    level: 'specified',
    requirement: 'An index out of range is 400.',
    source: 'ors-http-api.txt:174',
    async run(subject, http) {
      const { count } = splitOf(subject);
      for (const index of [count, count + 9_999]) await insistRefused(subject, http, { index });
    },
  },
  {
    id: 'D20',
    level: 'hardening',
    requirement: 'A negative index is 400, also in /create.',
    source: 'ors-http-api.txt:165',
    async run(subject, http) {
      const { name } = splitOf(subject);
      await insistRefused(subject, http, { index: -1 });
      const sid = await subject.sessions.newSid(http);
      const body = { env_name: subject.environment, split: name, index: -1 };
      insistStatus(await subject.sessions.create(http, sid, body), 400, 'POST /create with index -1');
    },
  },
  {
    id: 'D21',
    level: 'specified',
    requirement: 'An index that is missing or not a whole number is 400.',
    source: 'ors-http-api.txt:165',
    async run(subject, http) {
      for (const index of [undefined, null, 0.5, '0', true, [0]]) await insistRefused(subject, http, { index });
    },
  },
  {
    id: 'D22',
    level: 'specified',
    requirement: 'POST /{env}/task_range is `{"tasks":[...]}`; start is 0 and stop the number of tasks unless given.',
    source: 'ors-http-api.txt:178-192',
    async run(subject, http) {
      const { count } = splitOf(subject);
      const least = Math.max(0, count - 3);
      insistCount((await rangeOf(subject, http, { start: least })).tasks, count - least, 'a range without stop');
      const some = Math.min(3, count);
      insistCount((await rangeOf(subject, http, { stop: some })).tasks, some, 'a range without start');
      insistCount((await rangeOf(subject, http, { start: null, stop: some })).tasks, some, 'a range with start null');
      if (count <= MAX_LISTED) insistCount((await rangeOf(subject, http, {})).tasks, count, 'a range without both');
    },
  },
  {
    id: 'D23',
    level: 'specified',
    requirement: 'A range includes its start and excludes its stop.',
    source: 'ors-http-api.txt:203',
    async run(subject, http) {
      const { count } = splitOf(subject);
      const stop = Math.min(3, count);
      const { tasks } = await rangeOf(subject, http, { start: stop - 1, stop });
      insistCount(tasks, 1, `the range ${stop - 1} to ${stop}`);
      insist(isSame(tasks[0], await taskAt(subject, http, stop - 1)), 'it must be the task at its start');
    },
  },
  {
    id: 'D24',
    level: 'specified',
    requirement: 'A negative start or stop counts from the end, and not below 0.',
    source: 'ors-http-api.txt:191-203',
    async run(subject, http) {
      const { count } = splitOf(subject);
      const { tasks } = await rangeOf(subject, http, { start: -1 });
      insistCount(tasks, 1, 'the range from -1');
      insist(isSame(tasks[0], await taskAt(subject, http, count - 1)), 'the range from -1 must be the last task');
      const stopped = await rangeOf(subject, http, { start: Math.max(0, count - 3), stop: -1 });
      insistCount(stopped.tasks, Math.min(3, count) - 1, 'a range that stops at -1');
      const all = await rangeOf(subject, http, { start: -count - 999, stop: 1 });
      insistCount(all.tasks, 1, 'a range from far below 0 to 1');
    },
  },
  {
    id: 'D25',
    level: 'specified',
    requirement: 'A stop beyond the end means the end; a range with nothing in it is [] and 200.',
    source: 'ors-http-api.txt:203',
    async run(subject, http) {
      const { count } = splitOf(subject);
      const beyond = await rangeOf(subject, http, { start: count - 1, stop: count + 99 });
      insistCount(beyond.tasks, 1, 'a range with its stop beyond the end');
      for (const [start, stop] of [
        [0, 0],
        [1, 0],
        [count + 50, count + 60],
      ] as const) {
        insistCount((await rangeOf(subject, http, { start, stop })).tasks, 0, `the range ${start} to ${stop}`);
      }
    },
  },
  {
    id: 'D26',
    level: 'specified',
    requirement: 'A start or stop that is not a whole number is 400.',
    source: 'ors-http-api.txt:201',
    async run(subject, http) {
      const { name } = splitOf(subject);
      for (const bounds of [{ start: '0' }, { start: 0.5 }, { stop: '1' }, { stop: 1.5 }]) {
        const body = { split: name, ...bounds };
        const answer = await http.ask({ method: 'POST', path: `${subject.base}/task_range`, body });
        insistStatus(answer, 400, `a range with ${JSON.stringify(bounds)}`);
      }
    },
  },
  {
    id: 'D27',
    level: 'interop',
    requirement: '/task and /task_range carry `env_name` as well: official clients read it.',
    source: 'openreward 0.1.112 client.py:648,681',
    async run(subject, http) {
      const { name } = splitOf(subject);
      const body = { split: name, index: 0 };
      const task = objectOf(await http.ask({ method: 'POST', path: `${subject.base}/task`, body }), 'POST /{env}/task');
      insist(typeof task.env_name === 'string', '/task must have `env_name`');
      const range = await rangeOf(subject, http, { start: 0, stop: 1 });
      insist(typeof range.env_name === 'string', '/task_range must have `env_name`');
    },
  },
  {
    id: 'D28',
    level: 'interop',
    requirement: 'The `env_name` of an answer is taken by /create.',
    source: 'ors-sdk 0.1.0 client/session.py:76-84',
    async run(subject, http) {
      const { name } = splitOf(subject);
      const { env_name } = await rangeOf(subject, http, { start: 0, stop: 1 });
      need(typeof env_name === 'string', 'the answers have no `env_name`; see D27');
      const sid = await subject.sessions.newSid(http);
      const answer = await subject.sessions.create(http, sid, { env_name, split: name, index: 0 });
      insistStatus(answer, 200, `POST /create with env_name '${env_name}'`);
    },
  },
]);

/** The task at an index, which must be there. */
export async function taskAt(subject: OrsSubject, http: Recorder, index: number): Promise<Record<string, unknown>> {
  const body = { split: splitOf(subject).name, index };
  const answer = objectOf(await http.ask({ method: 'POST', path: `${subject.base}/task`, body }), 'POST /{env}/task');
  insist(isObject(answer.task), '`task` must be an object');
  return answer.task;
}

interface Range {
  readonly tasks: readonly unknown[];
  readonly env_name: unknown;
}

async function rangeOf(subject: OrsSubject, http: Recorder, bounds: object): Promise<Range> {
  const body = { split: splitOf(subject).name, ...bounds };
  const answer = await http.ask({ method: 'POST', path: `${subject.base}/task_range`, body });
  const { tasks, env_name } = objectOf(answer, `POST /{env}/task_range with ${JSON.stringify(bounds)}`);
  insist(Array.isArray(tasks), '`tasks` must be an array');
  return { tasks, env_name };
}

function insistCount(tasks: readonly unknown[], wanted: number, what: string): void {
  insist(tasks.length === wanted, `${what} must have ${wanted} of the tasks, and has ${tasks.length}`);
}

async function insistRefused(subject: OrsSubject, http: Recorder, { index }: { index: unknown }): Promise<void> {
  const body = { split: splitOf(subject).name, index };
  const answer = await http.ask({ method: 'POST', path: `${subject.base}/task`, body });
  insistStatus(answer, 400, `index ${index === undefined ? 'left out' : JSON.stringify(index)}`);
}

function caseChanged({ splits }: OrsSubject): string[] {
  const changed = splits.map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  return changed.filter((name) => !splits.includes(name)).slice(0, 1);
}
