import { isObject, type RunToolResult, type ToolOutput, textOf } from '../protocol/index.ts';
import { toBlock } from './answers.ts';
import { toReason } from './call-errors.ts';
import { AnswerTooLarge, ClientError, type ErrorContext, INVALID_REWARD, ToolCallError } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { quote, toShort } from './quote.ts';
import type { CallResult } from './types.ts';

/**
 * Reads the result of a call. What the standard lets a server leave out may be missing, but nothing may be of another kind:
 * a trainer must never learn from a reward that somebody guessed at.
 */
export function readResult(json: string, context: ErrorContext): RunToolResult {
  const result = parse(json, context);
  const problem = problemIn(result);
  if (problem === undefined) return result as RunToolResult;
  const { what, code } = problem;
  throw new ClientError(`the server sent a result ${what}`, { ...context, code });
}

/** A result as the caller of a tool gets it; one that is a failure is thrown. */
export function toCallResult(result: RunToolResult, { sid, taskId }: ErrorContext): CallResult {
  if (!result.ok) throw new ToolCallError(result.error, result.reason ?? toReason(result.error), { sid, taskId });
  const { blocks, reward, finished, metadata } = result.output;
  return {
    blocks,
    text: textOf(blocks),
    // Servers of another make leave out what they have not.
    reward: reward ?? null,
    finished: finished ?? false,
    metadata: metadata ?? null,
    taskId: taskId ?? '',
    outcome: 'returned',
  };
}

function parse(json: string, context: ErrorContext): unknown {
  try {
    return parseJson(json, context);
  } catch (cause) {
    if (cause instanceof AnswerTooLarge) throw cause;
    throw new ClientError(`the server sent a result that is not JSON: ${toShort(json)}`, { ...context, cause });
  }
}

interface Problem {
  /** Goes on after "a result". */
  readonly what: string;
  readonly code?: string;
}

function problemIn(result: unknown): Problem | undefined {
  if (!isObject(result)) return { what: `that is not an object: ${quote(result)}` };
  const { ok, error, reason, output } = result;
  const isFailure = (ok === false || isAbsent(ok)) && typeof error === 'string';
  if (isFailure && !isAbsent(reason) && typeof reason !== 'string')
    return { what: `whose reason is ${quote(reason)}, not a string` };
  if (isFailure) return undefined;
  if (ok !== true) return { what: `that is neither ok nor an error: ${quote(result)}` };
  return isObject(output) ? problemInOutput(output) : { what: `without output: ${quote(result)}` };
}

function problemInOutput(output: { readonly [Key in keyof ToolOutput]?: unknown }): Problem | undefined {
  const { blocks, reward, finished, metadata } = output;
  if (!Array.isArray(blocks)) return { what: `without blocks: ${quote(output)}` };
  const odd = blocks.findIndex((block) => toBlock(block) === undefined);
  if (odd >= 0) return { what: `with a block that cannot be read: ${quote(blocks[odd])}` };
  if (!isAbsent(reward) && !Number.isFinite(reward))
    return { what: `whose reward is ${quote(reward)}, not a finite number or null`, code: INVALID_REWARD };
  if (!isAbsent(finished) && typeof finished !== 'boolean')
    return { what: `whose finished is ${quote(finished)}, not true or false` };
  if (!isAbsent(metadata) && !isObject(metadata))
    return { what: `whose metadata is ${quote(metadata)}, not an object or null` };
  return undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
