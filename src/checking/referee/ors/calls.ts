import { isObject } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { insistStatus } from './answers.ts';
import { insistBlock } from './blocks.ts';
import { isEventStream } from './event-stream.ts';
import { inGroup } from './group.ts';
import { UNKNOWN, withSid } from './requests.ts';
import { type CallRecord, isFinishing } from './sampled-calls.ts';
import { baseOf, type OrsSubject } from './subject.ts';

const OUTPUT_KEYS = ['blocks', 'metadata', 'reward', 'finished'] as const;

/** Group C, last part: calls that run tools, and what they give. */
export const callProbes: readonly Probe<OrsSubject>[] = inGroup('Tool calls', [
  {
    id: 'C1',
    level: 'specified',
    requirement: 'A call is answered with 200 and a stream of events, whatever Accept says.',
    source: 'ors-http-api.txt:377',
    isActive: true,
    async run({ calls }, http) {
      const request = await calls.good(http);
      for (const accept of ['application/json', '*/*']) {
        const { answer } = await calls.make(http, request, { headers: { accept } });
        insistStatus(answer, 200, `a call with Accept: ${accept}`);
        insist(isEventStream(answer), `a call with Accept: ${accept} must be answered with text/event-stream`);
      }
    },
  },
  {
    id: 'C2',
    level: 'interop',
    requirement: 'A stream is neither cached, nor buffered, nor compressed, and its headers say so.',
    source: 'ors-sdk 0.1.0 server.py:492-497',
    isActive: true,
    async run({ calls }, http) {
      const call = await calls.make(http, await calls.good(http), { headers: { 'accept-encoding': 'gzip' } });
      const { headers } = call.answer;
      insist(/no-cache|no-store/.test(headers['cache-control'] ?? ''), 'Cache-Control must be no-cache');
      insist(headers['x-accel-buffering'] === 'no', 'X-Accel-Buffering must be no');
      const { 'content-encoding': encoding = 'identity' } = headers;
      insist(encoding === 'identity', 'the stream must not be compressed');
    },
  },
  {
    id: 'C3',
    level: 'specified',
    requirement: 'A success is `{"ok":true,"output":{...}}` with blocks, metadata, reward and finished, none left out.',
    source: 'ors-http-api.txt:404-416, ors-data-types.txt:199-215, ors-tools.txt:161',
    isActive: true,
    run: (subject, http) =>
      lookAtOutputs(subject, http, (output, what) => {
        for (const key of OUTPUT_KEYS) insist(key in output, `the output of ${what} must have \`${key}\``);
      }),
  },
  {
    id: 'C5',
    level: 'specified',
    requirement: 'A result has `ok`, and then `output` or `error`, never both.',
    source: 'ors-data-types.txt:234-236',
    isActive: true,
    run: ({ calls }, http) =>
      calls.each(http, ({ result, request }) => {
        if (result === undefined) return;
        insist(typeof result.ok === 'boolean', `the result of '${request.name}' must have \`ok\``);
        const isRight = 'output' in result === result.ok && 'error' in result === !result.ok;
        insist(isRight, `the result of '${request.name}' must have \`output\` or \`error\`, as \`ok\` says`);
      }),
  },
  {
    id: 'C17',
    level: 'specified',
    requirement: "A call on another environment than the session's is 404; upper and lower case are the same.",
    source: 'ors-http-api.txt:422',
    isActive: true,
    async run({ calls, sessions, environments, environment }, http) {
      const body = await calls.good(http);
      const ask = async (name: string) =>
        http.ask({
          method: 'POST',
          path: `${baseOf(name)}/call`,
          ...withSid(await sessions.standing(http)),
          body,
        });
      const other = environments.find((name) => name !== environment) ?? UNKNOWN;
      insistStatus(await ask(other), 404, `a call on '${other}' in a session of '${environment}'`);
      insistStatus(await ask(environment.toUpperCase()), 200, `a call on '${environment.toUpperCase()}'`);
      sessions.retire();
    },
  },
  {
    id: 'C19',
    level: 'specified',
    requirement: 'A tool that throws gives `task_id` and then `error` with a message, and no `end`.',
    source: 'ors-http-api.txt:402',
    isActive: true,
    async run({ calls }, http) {
      const broken = (await calls.samples(http)).filter(({ error }) => error !== undefined);
      need(broken.length > 0, 'no tool threw');
      for (const { stream, exchange, request } of broken) {
        const names = stream.events.map(({ event }) => event).join(', ');
        if (names !== 'task_id, error') http.exchanges.push(exchange);
        insist(names === 'task_id, error', `the events of '${request.name}' must be task_id and error, not ${names}`);
      }
    },
  },
  {
    id: 'C21',
    level: 'specified',
    requirement: 'The blocks of an output are an array with something in it.',
    source: 'ors-data-types.txt:432',
    isActive: true,
    run: (subject, http) =>
      lookAtOutputs(subject, http, ({ blocks }, what) => {
        insist(Array.isArray(blocks) && blocks.length > 0, `\`blocks\` of ${what} must have a block`);
      }),
  },
  {
    id: 'C22',
    level: 'specified',
    requirement: 'finished is true or false, reward a number or null, metadata an object or null, every block a block.',
    source: 'ors-data-types.txt:430-435',
    isActive: true,
    run: (subject, http) =>
      lookAtOutputs(subject, http, ({ blocks, finished, reward, metadata }, what) => {
        insist(typeof finished === 'boolean', `\`finished\` of ${what} must be true or false`);
        insist(reward === null || typeof reward === 'number', `\`reward\` of ${what} must be a number or null`);
        insist(metadata === null || isObject(metadata), `\`metadata\` of ${what} must be an object or null`);
        for (const block of Array.isArray(blocks) ? blocks : []) insistBlock(block, `a block of ${what}`);
      }),
  },
  {
    id: 'C25',
    level: 'hardening',
    requirement: 'Once an episode is finished, further calls do not run: `ok: false`; the session can still be read.',
    source: 'ors-data-types.txt:439',
    isActive: true,
    async run({ calls, sessions, base }, http) {
      const ending = (await calls.samples(http)).find(({ result }) => isFinishing(result));
      need(ending !== undefined, 'no call finished an episode');
      await using session = await sessions.openReady(http);
      const first = await calls.make(http, ending.request, { sid: session.sid });
      need(isFinishing(first.result), 'the same call did not finish another episode');
      const { result } = await calls.make(http, ending.request, { sid: session.sid });
      insist(result?.ok === false, 'a call after the end must be `ok: false`');
      const prompt = await http.ask({ method: 'GET', path: `${base}/prompt`, ...withSid(session.sid) });
      insistStatus(prompt, 200, 'GET /{env}/prompt after the end');
    },
  },
  {
    id: 'C28',
    level: 'specified',
    requirement: 'A call right after /create waits for setup, and then runs.',
    source: 'ors-http-api.txt:254',
    isActive: true,
    async run({ calls, sessions }, http) {
      const request = await calls.good(http);
      await using session = await sessions.open(http);
      const { answer, result } = await calls.make(http, request, { sid: session.sid });
      need(answer.status !== 503, 'setup takes longer than the server lets clients wait');
      insistStatus(answer, 200, 'a call right after /create');
      insist(result !== undefined, 'a call right after /create must give a result');
    },
  },
  {
    id: 'C31',
    level: 'hardening',
    requirement: 'A call continues when its client disconnects, and its task_id gets the result.',
    source: 'ors-http-api.txt:381,402',
    isActive: true,
    async run({ calls }, http) {
      const request = await calls.good(http);
      const watch = (received: string) => (hasTaskId(received) ? ('cut' as const) : undefined);
      const { sid, taskId } = await calls.make(http, request, { watch });
      need(taskId !== undefined, 'no `task_id` came; see E1');
      const { result } = await calls.make(http, { ...request, task_id: taskId }, { sid });
      insist(result !== undefined, 'the result must be there under its task_id');
    },
  },
]);

/** Whether a whole `task_id` event is among what has come. */
export function hasTaskId(received: string): boolean {
  return /^event: ?task_id\r?\ndata: ?\S+\r?\n\r?\n/m.test(received);
}

type Look = (output: Record<string, unknown>, what: string) => void;

function lookAtOutputs({ calls }: OrsSubject, http: Recorder, look: Look): Promise<void> {
  return calls.each(http, ({ result, request }: CallRecord) => {
    if (result?.ok !== true) return;
    insist(isObject(result.output), `\`output\` of '${request.name}' must be an object`);
    look(result.output, `'${request.name}'`);
  });
}
