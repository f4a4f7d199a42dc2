import type { Passed, Reply, Rewrite } from '../rewriting-proxy.ts';

/** A way to break a rule, and the ids that must say so: all failures of the group. */
export type Breakage = readonly [what: string, ids: readonly string[], rewrite: Rewrite];

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Answers otherwise where a condition holds. */
export function when(
  holds: (passed: Passed, reply: Reply) => boolean,
  change: (passed: Passed, reply: Reply) => Partial<Reply>,
): Rewrite {
  return (passed, reply) => (holds(passed, reply) ? change(passed, reply) : undefined);
}

export const json =
  (body: unknown, status = 200) =>
  () => ({ status, headers: JSON_TYPE, text: JSON.stringify(body) });
export const status = (to: number) => () => ({ status: to });
export const on = (method: string, path: RegExp) => (passed: Passed) =>
  passed.method === method && path.test(passed.path);
export const was = (from: number) => (_passed: Passed, reply: Reply) => reply.status === from;
export const both =
  (...all: ((passed: Passed, reply: Reply) => boolean)[]) =>
  (passed: Passed, reply: Reply) =>
    all.every((each) => each(passed, reply));
export const bodyHas = (text: string) => (passed: Passed) => passed.body.includes(text);
export const isStream = (_passed: Passed, { headers }: Reply) =>
  String(headers['content-type']).startsWith('text/event-stream');

/** Changes the JSON of an answer that is no error. */
export const edit = (change: (body: any) => unknown) => (_passed: Passed, reply: Reply) =>
  reply.status === 200 ? { text: JSON.stringify(change(JSON.parse(reply.text))) } : reply;

export const editTools = (change: (tool: any) => unknown) =>
  edit((body) => ({ ...body, tools: body.tools.map(change) }));

/** Changes the text of a stream. */
export const frame = (change: (text: string) => string): Rewrite =>
  when(both(on('POST', /\/call$/), isStream), (_passed, { text }) => ({ text: change(text) }));

/** The same for results of one event, which may grow. */
export const short = (change: (text: string) => string): Rewrite =>
  frame((text) => (text.includes('event: chunk') ? text : change(text)));

/** Changes the result of a call that fits into one event. */
export const editResult = (change: (result: any) => unknown): Rewrite =>
  frame((text) =>
    text.replace(
      /(event: end\ndata: )(\{"ok".*)\n/,
      (_all, head, data) => `${head}${JSON.stringify(change(JSON.parse(data)))}\n`,
    ),
  );

export const inOutput = (more: object) =>
  editResult((result) => (result.ok ? { ...result, output: { ...result.output, ...more } } : result));

export const tasksOf = (path: string, holds: (body: any) => boolean) => (passed: Passed) => {
  if (!passed.path.endsWith(path)) return false;
  return holds(JSON.parse(passed.body));
};

/** A result of a call as it should be. */
export const OUTPUT = {
  blocks: [{ text: 'made up', detail: null, type: 'text' }],
  metadata: null,
  reward: null,
  finished: false,
};

/** Answers with the stream of a call with this result. */
export const stream = (result: object) => () => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  text: `event: task_id\ndata: ${'b'.repeat(32)}\n\nevent: end\ndata: ${JSON.stringify(result)}\n\n`,
});

/** Answers otherwise in sessions for which something was asked before. */
export function remembering(
  asked: (passed: Passed, reply: Reply) => boolean,
  holds: (passed: Passed, reply: Reply) => boolean,
  change: (passed: Passed, reply: Reply) => Partial<Reply>,
): Rewrite {
  const sids = new Set<unknown>();
  return (passed, reply) => {
    const sid = passed.headers['x-session-id'];
    const isChanged = sids.has(sid) && holds(passed, reply);
    if (asked(passed, reply)) sids.add(sid);
    return isChanged ? change(passed, reply) : undefined;
  };
}
