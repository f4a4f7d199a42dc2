import { isObject, type JsonObject } from '../../../protocol/index.ts';
import { parsed } from '../json.ts';
import type { Answer, Recorder } from '../recorder.ts';

/** The eras of the protocol: of connections that are opened first, and of requests that stand alone. */
export type Era = 'legacy' | 'modern';

/** The revisions that the probes speak. */
export const REVISIONS: Readonly<Record<Era, string>> = { legacy: '2025-06-18', modern: '2026-07-28' };

/** What came of a message. */
export interface Told {
  readonly answer: Answer;
  /** The response in it; empty if there is none. */
  readonly response: JsonObject;
  readonly result: JsonObject;
  readonly errorCode: number | undefined;
}

const HEADERS = { accept: 'application/json, text/event-stream' };
const CLIENT = { name: 'tiltyard-check', version: '1.0.0' };

/** The parameters of the message with which older clients begin. */
export const INITIALIZE: JsonObject = {
  protocolVersion: REVISIONS.legacy,
  capabilities: {},
  clientInfo: CLIENT,
};

/** Sends a message as clients of an era do. */
export async function tell(http: Recorder, era: Era, method: string, params: JsonObject = {}): Promise<Told> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISIONS.modern,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  const modern = { 'mcp-protocol-version': REVISIONS.modern, 'mcp-method': method, ...named };
  const answer = await http.ask({
    method: 'POST',
    path: '',
    headers: { ...HEADERS, ...(era === 'modern' ? modern : {}) },
    body: { jsonrpc: '2.0', id: 1, method, params: era === 'modern' ? { ...params, _meta } : params },
  });
  return toTold(answer);
}

function toTold(answer: Answer): Told {
  const response = messagesIn(answer).findLast((message) => message.id === 1) ?? {};
  const error = isObject(response.error) ? response.error : {};
  return {
    answer,
    response,
    result: isObject(response.result) ? response.result : {},
    errorCode: typeof error.code === 'number' ? error.code : undefined,
  };
}

// Servers send a few messages for each of ours. A hostile one may send a million that are broken, and each of them costs an exception.
const MAX_MESSAGES = 1_000;

/** The messages of an answer, which is one of them or a stream: the first ones, if there are very many. */
function messagesIn({ headers, text }: Answer): JsonObject[] {
  const isStream = /^text\/event-stream/.test(headers['content-type'] ?? '');
  const messages: JsonObject[] = [];
  let seen = 0;
  for (const each of isStream ? dataLines(text) : [text]) {
    const message = parsed(each);
    if (isObject(message)) messages.push(message);
    seen += 1;
    if (seen === MAX_MESSAGES) break;
  }
  return messages;
}

function* dataLines(text: string): Generator<string> {
  for (const [, data = ''] of text.matchAll(/^data:(.*)$/gm)) yield data;
}

/** What an answer says is wrong, if it is an error of JSON-RPC. */
export function errorIn(answer: Answer): string | undefined {
  const error = messagesIn(answer).find((message) => isObject(message.error))?.error;
  return isObject(error) && typeof error.message === 'string' ? error.message : undefined;
}

/** The tools that an answer lists; undefined if it lists none. */
export function toolsIn({ result }: Told): readonly JsonObject[] | undefined {
  return Array.isArray(result.tools) ? result.tools.filter((tool): tool is JsonObject => isObject(tool)) : undefined;
}
