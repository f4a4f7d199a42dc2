import { isObject } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { arrayOf, insistStatus, isSame, objectOf, toolsIn } from './answers.ts';
import { insistBlock } from './blocks.ts';
import { inGroup } from './group.ts';
import { UNKNOWN, withSid, withUnknownSid } from './requests.ts';
import { baseOf, type OrsSubject } from './subject.ts';

/** Group P: the prompt and the tools of an episode. */
export const readProbes: readonly Probe<OrsSubject>[] = inGroup('Episode reads', [
  {
    id: 'P1',
    level: 'specified',
    requirement: 'GET /{env}/prompt is a bare array of blocks.',
    source: 'ors-http-api.txt:335-353',
    async run(subject, http) {
      const blocks = await readPrompt(subject, http);
      insist(blocks.every(isObject), 'every block must be an object');
    },
  },
  {
    id: 'P2',
    level: 'specified',
    requirement: 'A text block has text, detail and type; an image has data, mimeType, detail and type; none left out.',
    source: 'ors-http-api.txt:352-353',
    async run(subject, http) {
      for (const [index, block] of (await readPrompt(subject, http)).entries())
        insistBlock(block, `block ${index} of the prompt`);
    },
  },
  {
    id: 'P3',
    level: 'specified',
    requirement: '/prompt ignores the environment in its path: the session knows its own.',
    source: 'ors-http-api.txt:358',
    async run(subject, http) {
      const { sessions } = subject;
      const headers = withSid(await sessions.standing(http));
      const own = await readPrompt(subject, http);
      const path = `${baseOf(UNKNOWN)}/prompt`;
      const other = arrayOf(await http.ask({ method: 'GET', path, ...headers }), `GET ${path}`);
      insist(isSame(own, other), 'it must be the same prompt');
    },
  },
  {
    id: 'P4',
    level: 'hardening',
    requirement: 'The prompt of a session stays the same, however often and at once it is asked for.',
    source: 'the standard does not say',
    async run(subject, http) {
      const [first, ...rest] = await Promise.all([1, 2, 3].map(() => readPrompt(subject, http)));
      for (const again of rest) insist(isSame(first, again), 'the prompt must be the same each time');
    },
  },
  {
    id: 'P5',
    level: 'specified',
    requirement: 'GET /{env}/task_tools has the tools of /tools, and those of the task.',
    source: 'ors-http-api.txt:305-333, ors-tools.txt:253',
    async run(subject, http) {
      const { shared, all } = await readTools(subject, http);
      const names = all.map(({ name }) => name);
      const missing = shared.map(({ name }) => name).filter((name) => !names.includes(name));
      insist(missing.length === 0, `/task_tools must have ${missing.join(', ')}, too`);
    },
  },
  {
    id: 'P7',
    level: 'specified',
    requirement: 'Where a task has no tools of its own, /tools and /task_tools are equal.',
    source: 'ors-tools.txt:254',
    async run(subject, http) {
      const { shared, all } = await readTools(subject, http);
      need(all.length === shared.length, 'the task has tools of its own');
      insist(isSame(shared, all), '/tools and /task_tools must be equal');
    },
  },
  {
    id: 'P8',
    level: 'hardening',
    requirement: 'No two tools of /task_tools have the same name.',
    source: 'ors-data-types.txt:441',
    async run(subject, http) {
      const names = (await readTools(subject, http)).all.map(({ name }) => name);
      const doubled = names.filter((name, index) => names.indexOf(name) !== index);
      insist(doubled.length === 0, `${doubled.join(', ')} must be there once`);
    },
  },
  {
    id: 'P9',
    level: 'specified',
    requirement: '/prompt and /task_tools are 404 for an unknown session, and 410 for a deleted one.',
    source: 'ors-http-api.txt:329-332,354-357',
    async run({ base, sessions }, http) {
      const { sid } = await sessions.open(http);
      await http.ask({ method: 'POST', path: '/delete', ...withSid(sid) });
      for (const path of [`${base}/prompt`, `${base}/task_tools`]) {
        const unknown = await http.ask({ method: 'GET', path, ...withUnknownSid() });
        insistStatus(unknown, 404, `GET ${path} of an unknown session`);
        insistStatus(await http.ask({ method: 'GET', path, ...withSid(sid) }), 410, `GET ${path} of a deleted session`);
      }
    },
  },
  {
    id: 'P10',
    level: 'specified',
    requirement: '/prompt and /task_tools can be asked for right after /create: they wait for setup.',
    source: 'ors-http-api.txt:254',
    async run({ base, sessions }, http) {
      // A setup that fails, or takes too long for this request, is found here, and then nothing can be said.
      await sessions.standing(http);
      await using session = await sessions.open(http);
      const ask = (action: string) => http.ask({ method: 'GET', path: `${base}/${action}`, ...withSid(session.sid) });
      const [prompt, tools] = await Promise.all([ask('prompt'), ask('task_tools')]);
      need(prompt.status !== 503 && tools.status !== 503, 'setup takes longer than the server lets clients wait');
      insistStatus(prompt, 200, 'GET /{env}/prompt right after /create');
      insistStatus(tools, 200, 'GET /{env}/task_tools right after /create');
    },
  },
]);

async function readPrompt({ base, sessions }: OrsSubject, http: Recorder): Promise<unknown[]> {
  const sid = await sessions.standing(http);
  return arrayOf(await http.ask({ method: 'GET', path: `${base}/prompt`, ...withSid(sid) }), 'GET /{env}/prompt');
}

async function readTools({ base, sessions }: OrsSubject, http: Recorder) {
  const sid = await sessions.standing(http);
  const read = async (action: string, headers: object) =>
    toolsIn(objectOf(await http.ask({ method: 'GET', path: `${base}/${action}`, ...headers }), `GET /{env}/${action}`));
  return { shared: await read('tools', {}), all: await read('task_tools', withSid(sid)) };
}
