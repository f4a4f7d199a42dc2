import { ClientError, NOT_JSON } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { OddAnswer, type Reader } from './reading.ts';
import type { Answer, WireRequest } from './wire.ts';

/** What a request asked for; `taskId` where that was a call. */
export interface Question extends Pick<WireRequest, 'method' | 'path' | 'sid'> {
  readonly taskId?: string | undefined;
}

/** The JSON of an answer, read as what it has to be. */
export function readJson<Value>({ text }: Answer, question: Question, read: Reader<Value>): Value {
  const { method, path, sid, taskId } = question;
  const what = `the answer to ${method} ${path}`;
  let body: unknown;
  try {
    body = parseJson(text, { sid, taskId }, what);
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    throw new ClientError(`${what} is not JSON: ${text.slice(0, 100)}`, { sid, taskId, code: NOT_JSON, cause });
  }
  try {
    return read(body);
  } catch (error) {
    if (!(error instanceof OddAnswer)) throw error;
    throw new ClientError(`${what} ${error.message}`, { sid, taskId, code: error.code });
  }
}
