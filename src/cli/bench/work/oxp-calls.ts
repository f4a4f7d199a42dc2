import { isObject, OXP_SCHEMA } from '../../../protocol/index.ts';
import { isProblem } from '../load/connection.ts';
import type { Lane, Player } from '../load/drive.ts';
import type { Endpoint } from '../load/endpoint.ts';
import type { HttpResponse } from '../load/http-response.ts';
import { numberedRequests } from '../load/numbered-requests.ts';
import type { LoadProblem } from '../load/problem.ts';
import { toStatusProblem, toWords } from './answers.ts';

/** Which tool to call, with what. */
export interface OxpWork {
  readonly endpoint: Endpoint;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Calls one tool over and over, each time with an id of its own: a known id would not run the tool. */
export function oxpCalls({ endpoint, tool, input, secrets }: OxpWork, lane: Lane): Player {
  const named = Object.entries(secrets).map(([id, value]) => ({ id, value }));
  const context = named.length === 0 ? {} : { context: { secrets: named } };
  const next = numberedRequests(endpoint, (id) => ({
    method: 'POST',
    path: '/tools/call',
    body: JSON.stringify({ $schema: OXP_SCHEMA, request: { call_id: id, tool_id: tool, input, ...context } }),
  }));
  return {
    isReady: true,
    prepare: async () => undefined,
    async play(): Promise<LoadProblem | undefined> {
      const exchange = await lane.connection.exchange(next());
      return isProblem(exchange) ? exchange : checkOxpCall(exchange);
    },
    end: async () => {},
  };
}

/** Checks the answer to a call: a result that says it went well. */
export function checkOxpCall(response: HttpResponse): LoadProblem | undefined {
  if (response.status !== 200) return toStatusProblem(response);
  const text = response.body.toString('latin1');
  // Quotes inside a text are escaped, so these can only be keys; where both occur, or neither, the whole is read.
  if (/"success"\s*:\s*true\b/.test(text) && !/"success"\s*:\s*false\b/.test(text)) return undefined;
  return checkResult(text);
}

function checkResult(text: string): LoadProblem | undefined {
  const malformed: LoadProblem = { kind: 'malformed', detail: `the answer has no result: ${toWords(text)}` };
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    return malformed;
  }
  // LangChain's tool server sends the result bare.
  const result = isObject(sent) && isObject(sent.result) ? sent.result : sent;
  if (!isObject(result) || typeof result.success !== 'boolean') return malformed;
  if (result.success) return undefined;
  const { error } = result;
  const said = isObject(error) ? error.message : error;
  return { kind: 'tool', detail: toWords(typeof said === 'string' ? said : 'the tool failed without a message') };
}
