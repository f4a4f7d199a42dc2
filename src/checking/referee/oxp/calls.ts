import { isObject, type JsonObject, OXP_SCHEMA } from '../../../protocol/index.ts';
import { parsed } from '../json.ts';
import { insist, need } from '../probe.ts';
import type { Answer, Recorder } from '../recorder.ts';
import type { ListedTool, OxpSubject } from './subject.ts';

/** A tool that no server has. */
export const NO_SUCH_TOOL = 'TiltyardReferee.NoSuchTool';

/** A call that a server ran, whatever came of it. */
export interface RanCall {
  readonly tool: ListedTool;
  readonly input: JsonObject;
  readonly answer: Answer;
  readonly result: JsonObject;
}

// Enough to meet a tool that succeeds, few enough not to do much.
const MAX_TRIED = 8;

/** Sends a call in its envelope; `$schema` as given, or left out. */
export function sendCall(
  http: Recorder,
  request: JsonObject,
  envelope: JsonObject = { $schema: OXP_SCHEMA },
): Promise<Answer> {
  return http.ask({ method: 'POST', path: '/tools/call', body: { ...envelope, request } });
}

/** The tools that can be called without knowing more than their schema: the newest version of each. */
export function callableTools({ tools }: OxpSubject): ListedTool[] {
  const newest = new Map<string, ListedTool>();
  for (const tool of tools) {
    const known = newest.get(tool.name);
    if (tool.id !== '' && (known === undefined || compareVersions(known.version, tool.version) < 0)) {
      newest.set(tool.name, tool);
    }
  }
  return [...newest.values()]
    .filter(({ hasRequirements, input }) => !hasRequirements && input !== undefined)
    .slice(0, MAX_TRIED);
}

/** Calls tools with inputs made from their schemas, and gives what came back, errors of HTTP included. */
export async function callSamples(
  subject: OxpSubject,
  http: Recorder,
): Promise<{ readonly tool: ListedTool; readonly input: JsonObject; readonly answer: Answer }[]> {
  const samples = [];
  for (const tool of callableTools(subject)) {
    const input = inputFor(tool);
    const answer = await answerInTime(sendCall(http, { tool_id: tool.id, input }));
    if (answer !== undefined) samples.push({ tool, input, answer });
  }
  need(samples.length > 0, 'no listed tool could be called without credentials of its own');
  return samples;
}

/** The first of the listed tools that succeeds with an input made from its schema. */
export async function firstSuccess(subject: OxpSubject, http: Recorder): Promise<RanCall> {
  for (const tool of callableTools(subject)) {
    const input = inputFor(tool);
    const answer = await answerInTime(sendCall(http, { tool_id: tool.id, input }));
    const result = answer === undefined ? undefined : resultIn(answer);
    if (answer !== undefined && result?.success === true) return { tool, input, answer, result };
  }
  need(false, 'no listed tool succeeded with an input made from its schema');
}

/** An input made from a tool's schema. */
export function inputFor({ input = {} }: ListedTool): JsonObject {
  return input;
}

/** The result that an answer carries, if it carries one. */
export function resultIn(answer: Answer): JsonObject | undefined {
  const body = parsed(answer.text);
  return answer.status === 200 && isObject(body) && isObject(body.result) ? body.result : undefined;
}

/** Insists that something was refused before a tool ran. */
export function insistRefusal(answer: Answer, what: string, status = 400): JsonObject {
  insist(answer.status === status, `${what} is answered with ${answer.status}, not with ${status}`);
  const body = parsed(answer.text);
  insist(isObject(body), `${what} is refused with a body that is not a JSON object`);
  insist(typeof body.message === 'string' && body.message !== '', `${what} is refused without a \`message\``);
  const { developer_message: detail } = body;
  insist(detail === undefined || typeof detail === 'string', `${what} is refused with an odd \`developer_message\``);
  return body;
}

/** Compares versions by their numbers. Not with what our server uses: a mistake in that would go unnoticed here. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one.split('.').map(Number), other.split('.').map(Number)];
  const at = [0, 1, 2].find((place) => left[place] !== right[place]);
  return at === undefined ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

// A tool may take its time, and waiting for it proves nothing.
async function answerInTime(answering: Promise<Answer>): Promise<Answer | undefined> {
  return answering.catch(() => undefined);
}
