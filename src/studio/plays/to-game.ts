import { type EndEvent, RECORD_VERSION, type RecordEvent } from '../../records/index.ts';
import { version } from '../../version.ts';
import type { Play, PlaySubject, Step } from '../api.ts';

type EpisodeSubject = Extract<PlaySubject, { kind: 'episode' }>;

/** A play as a record, with everything in the one file. */
export function toGame(play: Play, { environment, choice }: EpisodeSubject): string {
  const tools = play.tools.map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  const events: RecordEvent[] = [
    {
      n: 0,
      at: play.createdAt,
      type: 'episode',
      v: RECORD_VERSION,
      by: 'play',
      environment,
      ...choice,
      ...(play.sid === null ? {} : { id: play.sid }),
      tools,
      versions: { tiltyard: version },
    },
  ];
  if (play.prompt !== null) events.push({ n: 1, at: play.createdAt, type: 'prompt', blocks: play.prompt });
  for (const step of play.steps) if (step.status !== 'running') events.push(...eventsOf(step, events.length));
  events.push(toEnd(play, events.length));
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

function eventsOf({ tool, input, startedAt, ms, result, problem }: Step, n: number): [RecordEvent, RecordEvent] {
  const took = ms ?? 0;
  const ending = { n: n + 1, at: startedAt + Math.round(took), type: 'result', call: n, ms: took } as const;
  const call = { n, at: startedAt, type: 'call', tool, input } as const;
  if (result !== null) {
    const { blocks, reward, finished, metadata } = result;
    return [call, { ...ending, outcome: 'returned', blocks, reward, finished, metadata }];
  }
  const { kind = 'environment', message = '', code = null } = problem ?? {};
  const [outcome, reason] = FAILURES[kind] ?? (['env_error', 'broken'] as const);
  return [call, { ...ending, outcome, failure: { reason, message, ...(code === null ? {} : { code }) } }];
}

const FAILURES: Readonly<Record<string, readonly ['tool_error' | 'env_error' | 'cancelled', string]>> = {
  refused: ['tool_error', 'refused'],
  tool: ['tool_error', 'tool_error'],
  environment: ['env_error', 'broken'],
  cancelled: ['cancelled', 'refused'],
};

function toEnd({ steps, status, createdAt }: Play, n: number): EndEvent {
  const rewards = steps.flatMap(({ result }) => result?.reward ?? []);
  const isFinished = status === 'finished';
  const last = steps.at(-1);
  const at = last === undefined ? createdAt : last.startedAt + Math.round(last.ms ?? 0);
  return {
    n,
    at,
    type: 'end',
    outcome: isFinished ? 'finished' : 'cancelled',
    stop: isFinished ? 'finished' : 'gave_up',
    fault: isFinished ? 'none' : 'agent',
    ms: at - createdAt,
    calls: steps.length,
    rewards: {
      count: rewards.length,
      sum: rewards.length === 0 ? null : rewards.reduce((sum, reward) => sum + reward, 0),
      last: rewards.at(-1) ?? null,
      min: rewards.length === 0 ? null : Math.min(...rewards),
      max: rewards.length === 0 ? null : Math.max(...rewards),
    },
  };
}
