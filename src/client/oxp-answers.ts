import { isObject, isOutcome, OUTCOME_HEADER, type Outcome, type ToolDefinition } from '../protocol/index.ts';
import { toDetail, toRetryAfterMs } from './error-answer.ts';
import { type ClientError, type ErrorContext, HttpError } from './errors.ts';
import { type MissingRequirements, OxpServerError, OxpToolError, OxpValidationError } from './oxp-errors.ts';
import { parseJson } from './parse-json.ts';
import { quote, toJsonText } from './quote.ts';
import { listOf, OddAnswer, type Reader } from './reading.ts';
import type { Answer, ErrorAnswer } from './wire.ts';

/** Reads the answer to GET /tools: the list is under either of its names, or bare. */
export function readToolDefinitions(body: unknown): ToolDefinition[] {
  return readList(isObject(body) ? (body.items ?? body.tools ?? body) : body);
}

const readList: Reader<ToolDefinition[]> = listOf('tool', toToolDefinition);

// Servers of another make leave out what they have not, such as versions.
function toToolDefinition(sent: unknown): ToolDefinition | undefined {
  if (!isObject(sent)) return undefined;
  const { id, input_schema: input, output_schema: output } = sent;
  const tool: Record<string, unknown> = {
    ...sent,
    name: sent.name ?? id,
    description: sent.description ?? '',
    version: sent.version ?? '',
    input_schema: isObject(input) && isWrapped(input) ? input.parameters : (input ?? {}),
    output_schema: output ?? null,
  };
  return isToolDefinition(tool) ? (tool as unknown as ToolDefinition) : undefined;
}

function isToolDefinition(tool: Record<string, unknown>): boolean {
  const { id, name, description, version, input_schema: input, output_schema: output, requirements } = tool;
  const hasTexts = [id, name, description, version].every((text) => typeof text === 'string');
  return hasTexts && isObject(input) && (output === null || isObject(output)) && areRequirements(requirements ?? {});
}

function areRequirements(sent: unknown): boolean {
  if (!isObject(sent)) return false;
  const lists = [sent.secrets ?? [], sent.authorization ?? []];
  return lists.every((list) => Array.isArray(list) && list.every(isObject));
}

// One page of the specification has the schema inside this key.
function isWrapped(schema: Record<string, unknown>): boolean {
  return isObject(schema.parameters) && Object.keys(schema).length === 1;
}

/** What a call gave, with the id and the time of the server that ran it. */
export interface SentResult {
  readonly callId: string | undefined;
  readonly durationMs: number | undefined;
  readonly value: unknown;
}

/** The outcome that a server of this make tells in a header. */
export function outcomeIn({ headers }: Pick<Answer, 'headers'>): Outcome | undefined {
  const outcome = headers.get(OUTCOME_HEADER);
  return isOutcome(outcome) ? outcome : undefined;
}

/** Reads the answer to a call; a failed one is thrown. `callId` is the id that was sent. */
export function toSentResult(body: unknown, callId: string, outcome?: Outcome): SentResult {
  // LangChain's tool server sends the result bare.
  const result = isObject(body) && isObject(body.result) ? body.result : body;
  if (!isObject(result) || typeof result.success !== 'boolean') throw new OddAnswer(`has no result: ${quote(body)}`);
  const id = toText(result.call_id) ?? toText(result.execution_id);
  if (!result.success)
    throw toToolError(result.error, { taskId: id ?? callId, ...(outcome === undefined ? {} : { outcome }) });
  const durationMs = toNumber(result.duration);
  return { callId: id, durationMs, value: result.value ?? null };
}

function toToolError(error: unknown, context: ErrorContext): OxpToolError {
  const sent = isObject(error) ? error : {};
  const details = {
    developerMessage: toText(sent.developer_message),
    canRetry: sent.can_retry === true,
    retryAfterMs: toNumber(sent.retry_after_ms),
    additionalPromptContent: toText(sent.additional_prompt_content),
  };
  return new OxpToolError(toText(sent.message) ?? 'the tool failed without a message', details, context);
}

/** An error status as the error that says what to do. */
export function toOxpError({ status, statusText, headers, text }: ErrorAnswer): ClientError {
  const body = toBody(text);
  const message = toText(body.message) ?? toText(body.error) ?? toDetail(text, statusText).detail;
  const retryAfterMs = toRetryAfterMs(headers.get('retry-after'));
  // These pass by themselves, or say nothing of the tool; what is below 400 leads elsewhere.
  if (status < 400 || status === 429 || status >= 500) return new HttpError(status, message, { retryAfterMs });
  if (status === 422) return new OxpValidationError(message, toParameterErrors(body.parameter_errors), { status });
  const details = {
    developerMessage: toText(body.developer_message),
    missingRequirements: toMissing(body.missing_requirements),
    retryAfterMs,
  };
  return new OxpServerError(message, details, { status, outcome: outcomeIn({ headers }) });
}

function toBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = parseJson(text);
    return isObject(body) ? body : {};
  } catch {
    return {}; // not JSON: a proxy's page, most likely
  }
}

function toParameterErrors(sent: unknown): Record<string, string> {
  const entries = Object.entries(isObject(sent) ? sent : {});
  return Object.fromEntries(entries.map(([name, problem]) => [name, toText(problem) ?? toJsonText(problem)]));
}

function toMissing(sent: unknown): MissingRequirements | undefined {
  if (!isObject(sent)) return undefined;
  const { authorization, secrets, user_id: userId } = sent;
  const listed = (list: unknown) => (Array.isArray(list) ? list.filter(isObject) : []);
  return {
    authorization: listed(authorization).map(({ id, url }) => ({ id: toText(id) ?? '', url: toText(url) ?? '' })),
    secrets: listed(secrets).map(({ id }) => toText(id) ?? ''),
    userId: userId === true,
  };
}

function toText(sent: unknown): string | undefined {
  return typeof sent === 'string' ? sent : undefined;
}

function toNumber(sent: unknown): number | undefined {
  return typeof sent === 'number' && sent >= 0 ? sent : undefined;
}
