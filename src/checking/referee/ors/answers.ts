import { isObject, type JsonObject, type JsonValue, type ToolSpec } from '../../../protocol/index.ts';
import { canonical, parsed } from '../json.ts';
import { insist } from '../probe.ts';
import type { Answer } from '../recorder.ts';

/** Insists on a status; `what` names the request: "a second /create". */
export function insistStatus({ status }: Answer, wanted: number, what: string): void {
  insist(status === wanted, `${what} must be ${wanted}, and is ${status}`);
}

/** The JSON of an answer that must have some. */
export function jsonOf({ text }: Answer, what: string): JsonValue {
  const value = parsed(text);
  insist(value !== undefined, `${what} must be JSON, and is ${text === '' ? 'empty' : 'not'}`);
  return value;
}

/** The JSON object of an answer that must be 200 and have one. */
export function objectOf(answer: Answer, what: string): JsonObject {
  insistStatus(answer, 200, what);
  const value = jsonOf(answer, what);
  insist(isObject(value), `${what} must be a JSON object`);
  return value;
}

/** The JSON array of an answer that must be 200 and have one. */
export function arrayOf(answer: Answer, what: string): JsonValue[] {
  insistStatus(answer, 200, what);
  const value = jsonOf(answer, what);
  insist(Array.isArray(value), `${what} must be a bare JSON array`);
  return value;
}

/** What a server said was wrong, for a reason that people read. */
export function detailOf({ status, text }: Answer): string {
  const body = parsed(text);
  const detail = isObject(body) && typeof body.detail === 'string' ? body.detail : text;
  return `${status} ${detail.slice(0, 200)}`.trim();
}

/** The tools in an answer, as far as they have names. */
export function toolsIn(body: unknown): ToolSpec[] {
  const tools = isObject(body) && Array.isArray(body.tools) ? body.tools : [];
  return tools.filter((tool) => isObject(tool) && typeof tool.name === 'string');
}

/** Whether two answers hold the same JSON, whatever the order of keys. */
export function isSame(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}
