import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject, type JsonValue } from '../protocol/index.ts';
import type { RecordedCall, RecordedChoice, RecordedEpisode } from './episode-types.ts';
import type { EpisodeEvent, RecordEvent, ResultEvent } from './events.ts';
import { fromGame } from './old-game.ts';
import { eventsIn, type ReadOptions } from './read-record.ts';
import { RecordError } from './record-error.ts';

/** Reads an episode as a whole: a record, or a game that was recorded before there were records. */
export async function readEpisode(path: string, options?: ReadOptions): Promise<RecordedEpisode> {
  // Once: a pipe gives what it has to the first who reads it.
  const bytes = await readFile(path).catch((cause: Error) => {
    throw new RecordError(path, `cannot be read: ${cause.message}`, { cause });
  });
  const game = toGame(bytes.toString());
  if (game !== undefined) return fromGame(game, path);
  const events: RecordEvent[] = [];
  for await (const event of eventsIn([bytes], path, options)) events.push(event);
  const [first] = events;
  if (first?.type !== 'episode') throw new RecordError(path, 'has no whole event in it: its writer was killed at once');
  const prompt = events.find((event) => event.type === 'prompt');
  return {
    environment: first.environment,
    choice: choiceOf(first, path),
    task: first.task,
    tools: first.tools,
    prompt: prompt?.blocks,
    calls: callsOf(events),
  };
}

// Records are JSON lines, and games are one value.
function toGame(text: string): object | undefined {
  if (text.startsWith('{"n":0,')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function choiceOf({ split, index, task }: EpisodeEvent, path: string): RecordedChoice {
  if (split !== undefined && index !== undefined) return { split, index };
  if (task !== undefined) return { task };
  throw new RecordError(path, 'does not say which task its episode was about');
}

function callsOf(events: readonly RecordEvent[]): RecordedCall[] {
  const results = new Map<number, ResultEvent>();
  for (const event of events) if (event.type === 'result') results.set(event.call, event);
  return events.flatMap((event) => {
    if (event.type !== 'call') return [];
    const { tool, input } = event;
    return [{ tool, input: toInput(input), told: results.get(event.n) }];
  });
}

// A model may have sent anything.
function toInput(input: JsonValue): JsonObject {
  return isObject(input) ? (input as JsonObject) : {};
}
