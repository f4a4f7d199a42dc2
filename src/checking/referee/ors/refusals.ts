import { type JsonObject, SESSION_HEADER } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { insistStatus } from './answers.ts';
import { inGroup } from './group.ts';
import { HARMLESS_CALL, UNKNOWN, withSid, withUnknownSid } from './requests.ts';
import type { CallRecord } from './sampled-calls.ts';
import type { OrsSubject } from './subject.ts';

/** The user agent of the official client, which takes refused calls inside the stream. */
export const OFFICIAL: { headers: Record<string, string> } = { headers: { 'user-agent': 'ors-sdk/0.1.0' } };

/** Group C, first part: calls that are refused, so that no tool runs. */
export const refusalProbes: readonly Probe<OrsSubject>[] = inGroup('Tool calls', [
  {
    id: 'C4',
    level: 'specified',
    requirement: 'A failure that is reported is `{"ok":false,"error":"..."}`, without `output`.',
    source: 'ors-data-types.txt:217-237',
    async run({ calls }, http) {
      const { result } = await calls.make(http, { name: UNKNOWN, input: {} }, OFFICIAL);
      need(result !== undefined, 'the server reports no failure inside the stream');
      insist(result.ok === false && typeof result.error === 'string', 'the result must have a string `error`');
      insist(!('output' in result), 'the result must have no `output`');
    },
  },
  {
    id: 'C6',
    level: 'specified',
    requirement: 'A call whose name is missing, empty or not a string is 400.',
    source: 'ors-http-api.txt:421',
    run: (subject, http) =>
      insistRefused(subject, http, [{ input: {} }, { name: 1, input: {} }, { name: '', input: {} }]),
  },
  {
    id: 'C7',
    level: 'specified',
    requirement: 'A call whose input is missing or not an object is 400.',
    source: 'ors-http-api.txt:421, ors-data-types.txt:164',
    async run(subject, http) {
      const inputs = [null, [], 'text', 1].map((input) => ({ name: UNKNOWN, input }));
      await insistRefused(subject, http, [{ name: UNKNOWN }, ...inputs]);
    },
  },
  {
    id: 'C8',
    level: 'specified',
    requirement: 'A call of an unknown tool is 404.',
    source: 'ors-http-api.txt:422',
    async run({ calls }, http) {
      insistStatus((await calls.make(http, { name: UNKNOWN, input: {} })).answer, 404, 'a call of an unknown tool');
    },
  },
  {
    id: 'C8a',
    level: 'interop',
    requirement: 'To official clients a call of an unknown tool is `ok: false`, which they show the model.',
    source: 'ors-sdk 0.1.0 environment.py:240',
    async run({ calls }, http) {
      const call = await calls.make(http, { name: UNKNOWN, input: {} }, OFFICIAL);
      insistEnvelope(call, /not a valid tool|not found|unknown/i);
    },
  },
  {
    id: 'C18',
    level: 'specified',
    requirement: 'A call in an unknown session is 404, and in a deleted one 410.',
    source: 'ors-http-api.txt:421-423',
    async run({ base, sessions }, http) {
      const ask = { method: 'POST', path: `${base}/call`, body: HARMLESS_CALL };
      insistStatus(await http.ask({ ...ask, ...withUnknownSid() }), 404, 'a call in an unknown session');
      const { sid } = await sessions.open(http);
      await http.ask({ method: 'POST', path: '/delete', ...withSid(sid) });
      insistStatus(await http.ask({ ...ask, ...withSid(sid) }), 410, 'a call in a deleted session');
    },
  },
  {
    id: 'C24',
    level: 'hardening',
    requirement: "Names that belong to the server's language, such as `constructor`, are unknown tools.",
    source: 'the standard does not say',
    async run({ calls }, http) {
      for (const name of ['constructor', '__proto__', 'toString', '__init__']) {
        const { answer, result } = await calls.make(http, { name, input: {} });
        const told = answer.status === 404 || answer.status === 400 || result?.ok === false;
        insist(told, `a call of '${name}' must be refused`);
      }
    },
  },
  {
    id: 'R12',
    level: 'hardening',
    requirement: 'A task_id that is not a string, or is empty, is 400.',
    source: 'ors-data-types.txt:165',
    run: (subject, http) =>
      insistRefused(
        subject,
        http,
        [5, ''].map((task_id) => ({ ...HARMLESS_CALL, task_id })),
      ),
  },
]);

/** Insists that a call was refused as official clients want it: inside the stream, with a text they know. */
export function insistEnvelope({ answer, result }: CallRecord, text: RegExp): void {
  insistStatus(answer, 200, 'a refused call of an official client');
  insist(result?.ok === false, 'the stream must end with `ok: false`');
  insist(text.test(String(result.error)), `\`error\` must say what was wrong, and is ${JSON.stringify(result.error)}`);
}

async function insistRefused(
  { base, sessions }: OrsSubject,
  http: Recorder,
  bodies: readonly JsonObject[],
): Promise<void> {
  const headers = { [SESSION_HEADER]: await sessions.standing(http) };
  for (const body of bodies) {
    const answer = await http.ask({ method: 'POST', path: `${base}/call`, headers, body });
    insistStatus(answer, 400, `a call with the body ${JSON.stringify(body)}`);
  }
}
