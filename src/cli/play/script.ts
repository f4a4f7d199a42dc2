import { readFile, writeFile } from 'node:fs/promises';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import type { Chosen } from '../shared/episode.ts';
import { misuse } from '../shared/failure.ts';
import type { Game, PlayedCall, Player } from './game.ts';

/** A game as it is written down; `tiltyard play --script` plays it again. */
export interface Script {
  readonly environment: string;
  readonly choice: Chosen;
  readonly calls: readonly ScriptCall[];
}

/** A call of a script; what it observed is compared when it is played again, and may be left out. */
export interface ScriptCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly reward?: number | null;
  readonly finished?: boolean;
  /** The reason with which the call failed. */
  readonly failure?: string;
}

/** Writes a game down, as far as it has come. */
export async function writeScript(
  file: string,
  game: Game,
  { environment, choice }: Omit<Script, 'calls'>,
): Promise<void> {
  const calls = game.calls.map((played) => `    ${JSON.stringify(toScriptCall(played))}`);
  const head = Object.entries({ environment, ...choice }).map(
    ([key, value]) => `  "${key}": ${JSON.stringify(value)},`,
  );
  // A line for each call: changes of a game are then read as lines.
  const lines = ['{', ...head, `  "calls": [${calls.length === 0 ? '' : `\n${calls.join(',\n')}\n  `}]`, '}', ''];
  await writeFile(file, lines.join('\n'));
}

function toScriptCall({ tool, input, result, failure }: PlayedCall): ScriptCall {
  if (result === undefined) return { tool, input, failure: failure?.reason ?? 'broken' };
  return { tool, input, reward: result.reward, finished: result.finished };
}

/** Reads a game that was written down. */
export async function readScript(file: string): Promise<Script> {
  const script = toJson(await read(file), file);
  const { environment, split, index, task, calls } = script;
  if (typeof environment !== 'string' || !Array.isArray(calls)) {
    throw misuse(`${file} is not a game: it must be {"environment", "split", "index", "calls": [{"tool", "input"}]}`);
  }
  return {
    environment,
    choice: toChoice({ split, index, task }, file),
    calls: calls.map((call) => toCall(call, file)),
  };
}

/** Plays the calls of a script, one after the other. */
export function scriptPlayer({ calls }: Script): Player {
  let at = 0;
  return {
    async next() {
      const call = calls[at];
      at += 1;
      return call === undefined ? undefined : { tool: call.tool, input: call.input };
    },
  };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw misuse(`${file} cannot be read: ${(thrown as Error).message}`);
  }
}

function toJson(text: string, file: string): Record<string, unknown> {
  try {
    const script: unknown = JSON.parse(text);
    return isObject(script) ? script : {};
  } catch (thrown) {
    throw misuse(`${file} is not JSON: ${(thrown as Error).message}`);
  }
}

function toChoice({ split, index = 0, task }: Record<string, unknown>, file: string): Chosen {
  if (isObject(task)) return { task: task as JsonObject };
  if (typeof split === 'string' && typeof index === 'number') return { split, index };
  throw misuse(`${file} does not name a task: it needs "split" and "index", or "task"`);
}

function toCall(call: unknown, file: string): ScriptCall {
  if (!isObject(call) || typeof call.tool !== 'string')
    throw misuse(`${file} has a call without "tool": ${JSON.stringify(call)}`);
  const { tool, input = {}, reward, finished, failure } = call;
  if (!isObject(input))
    throw misuse(`${file} calls '${tool}' with an input that is not an object: ${JSON.stringify(input)}`);
  return {
    tool,
    input: input as JsonObject,
    ...(typeof reward === 'number' || reward === null ? { reward } : {}),
    ...(typeof finished === 'boolean' ? { finished } : {}),
    ...(typeof failure === 'string' ? { failure } : {}),
  };
}
