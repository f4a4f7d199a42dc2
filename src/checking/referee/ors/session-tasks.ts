import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { arrayOf, insistStatus, isSame } from './answers.ts';
import { inGroup } from './group.ts';
import { insistNotCreated } from './insist-refused.ts';
import { splitOf, withSid } from './requests.ts';
import type { OrsSubject } from './subject.ts';
import { taskAt } from './tasks.ts';

/** Of group S: which task a session gets; sessions.ts has the rest of /create. */
export const sessionTaskProbes: readonly Probe<OrsSubject>[] = inGroup('Sessions', [
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
    requirement: 'A task_spec that is not an object is 400.',
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
]);

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
