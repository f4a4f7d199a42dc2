import { isObject, type JsonObject } from '../protocol/index.ts';
import type { RecordedCall, RecordedChoice, RecordedEpisode, ToldResult } from './episode-types.ts';
import { RecordError } from './record-error.ts';

// What `tiltyard play --record` wrote before there were records, and what is still the shortest script to write by hand:
// {"environment", "split", "index", "calls": [{"tool", "input", "reward", "finished", "failure"}]}

/** The episode that a game tells of; `path` says where the game is from. */
export function fromGame(game: object, path: string): RecordedEpisode {
  const { environment, split, index, task, calls } = game as Record<string, unknown>;
  if (typeof environment !== 'string' || !Array.isArray(calls))
    throw new RecordError(
      path,
      'is neither a record nor a game: a game is {"environment", "split", "index", "calls": [{"tool", "input"}]}',
    );
  return {
    environment,
    choice: toChoice({ split, index, task }, path),
    task: isObject(task) ? (task as JsonObject) : undefined,
    tools: undefined,
    prompt: undefined,
    calls: calls.map((call) => toCall(call, path)),
  };
}

function toChoice({ split, index = 0, task }: Record<string, unknown>, path: string): RecordedChoice {
  if (isObject(task)) return { task: task as JsonObject };
  if (typeof split === 'string' && typeof index === 'number') return { split, index };
  throw new RecordError(path, 'does not name a task: it needs "split" and "index", or "task"');
}

function toCall(call: unknown, path: string): RecordedCall {
  if (!isObject(call) || typeof call.tool !== 'string')
    throw new RecordError(path, `has a call without "tool": ${JSON.stringify(call)}`);
  const { tool, input = {} } = call;
  if (!isObject(input))
    throw new RecordError(path, `calls '${tool}' with an input that is not an object: ${JSON.stringify(input)}`);
  return { tool, input: input as JsonObject, told: toTold(call) };
}

function toTold({ reward, finished, failure }: Record<string, unknown>): ToldResult | undefined {
  if (typeof failure === 'string') return { failure: { reason: failure } };
  const told: ToldResult = {
    ...(typeof reward === 'number' || reward === null ? { reward } : {}),
    ...(typeof finished === 'boolean' ? { finished } : {}),
  };
  return Object.keys(told).length === 0 ? undefined : told;
}
