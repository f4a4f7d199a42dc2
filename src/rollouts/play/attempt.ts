import type { EnvironmentClient, Session } from '../../client/index.ts';
import { chanceOf } from '../../core/index.ts';
import { type JsonObject, type ToolSpec, textOf, type WireBlock } from '../../protocol/index.ts';
import type { Stop } from '../../records/index.ts';
import type { TokenCounts } from '../folder/episode-line.ts';
import type { PlannedEpisode } from '../folder/plan-file.ts';
import type { Model } from '../models/model.ts';
import { Halt, toEnvironmentHalt } from '../outcome/halt.ts';
import type { Budget } from '../schedule/budget.ts';
import type { Agent, AgentEpisode } from './agent.ts';
import { AttemptEnd, closeSession, openSession } from './attempt-end.ts';
import type { AttemptRecord } from './attempt-record.ts';
import { RecordedConversation } from './conversation.ts';
import type { EpisodeLimits } from './limits.ts';
import { RecordedEpisode } from './recorded-episode.ts';
import { Turns } from './turns.ts';

/** What all attempts of a run have in common. */
export interface AttemptContext {
  readonly environment: EnvironmentClient;
  readonly agent: Agent;
  readonly agentName: string;
  /** Whether the agent is shown the task. */
  readonly isOracle: boolean;
  readonly model: Model | undefined;
  readonly budget: Budget;
  readonly seed: number;
  readonly secrets: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly limits: EpisodeLimits;
  /** Fires with a Halt that says why the run stops. */
  readonly signal: AbortSignal;
}

/** How an attempt ended. */
export interface Played {
  readonly stop: Stop;
  readonly detail: string | undefined;
  readonly rewards: readonly number[];
  readonly steps: number;
  readonly tokens: TokenCounts;
  readonly usd: number;
  readonly ms: number;
}

/** Plays an episode once, from its session to its end, and writes all of it down. Never rejects for what happens in it. */
export async function playAttempt(
  which: { readonly planned: PlannedEpisode; readonly attempt: number },
  record: AttemptRecord,
  context: AttemptContext,
): Promise<Played> {
  const startedAt = performance.now();
  const turns = new Turns(context.limits, context.budget);
  using over = new AttemptEnd(context);
  const { episode, halt } = await playOpened({ ...which, record, context, turns, signal: over.signal });
  const { stop, message } = halt ?? { stop: 'finished' as const, message: undefined };
  if (message !== undefined) record.append({ type: 'note', text: message });
  return {
    stop,
    detail: message,
    rewards: episode?.rewards ?? [],
    steps: episode?.steps ?? 0,
    tokens: turns.tokens,
    usd: turns.usd,
    ms: Math.round(performance.now() - startedAt),
  };
}

interface Attempt {
  readonly planned: PlannedEpisode;
  readonly attempt: number;
  readonly record: AttemptRecord;
  readonly context: AttemptContext;
  readonly turns: Turns;
  readonly signal: AbortSignal;
}

/** What is told of a halt. Most are never thrown, and an error takes longer to make than all the rest of an attempt's end. */
type WhyHalted = Pick<Halt, 'stop' | 'message'>;

interface Ended {
  readonly episode?: RecordedEpisode;
  /** Undefined if the episode finished. */
  readonly halt: WhyHalted | undefined;
}

async function playOpened(attempt: Attempt): Promise<Ended> {
  const { planned, record, context, signal } = attempt;
  let session: Session | undefined;
  try {
    const { environment, secrets } = context;
    session = await openSession(environment, { split: planned.split, index: planned.index, secrets }, signal);
    const [prompt, tools] = await Promise.all([session.prompt({ signal }), session.tools({ signal })]);
    const task = context.isOracle ? await environment.task(planned.split, planned.index, { signal }) : undefined;
    begin(attempt, tools);
    record.append({ type: 'prompt', blocks: prompt });
    return await playWithAgent(attempt, { session, prompt, tools, task: task as JsonObject | undefined });
  } catch (thrown) {
    // A record begins with its episode, also if there was none.
    if (record.isEmpty) begin(attempt);
    return { halt: signal.aborted ? toEarlyHalt(signal.reason) : toEnvironmentHalt(thrown) };
  } finally {
    if (session !== undefined) await close(session, attempt);
  }
}

function begin({ planned, attempt, record, context }: Attempt, tools?: readonly ToolSpec[]): void {
  const { environment, agentName, seed, tags } = context;
  const { split, index, taskHash, repeat, episode } = planned;
  record.append({
    type: 'episode',
    by: 'run',
    environment: environment.name,
    split,
    index,
    ...(taskHash === null ? {} : { taskHash }),
    seed,
    id: String(episode),
    repeat,
    attempt,
    agent: agentName,
    ...(tools === undefined ? {} : { tools }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
  });
}

interface Begun {
  readonly session: Session;
  readonly prompt: readonly WireBlock[];
  readonly tools: readonly ToolSpec[];
  readonly task: JsonObject | undefined;
}

async function playWithAgent(attempt: Attempt, begun: Begun): Promise<Ended> {
  const { record, context, turns, signal } = attempt;
  const { session, prompt, tools, task } = begun;
  const episode = new RecordedEpisode({ session, record, signal, takeTurn: () => turns.takeCall(context.model) });
  const view = toView(attempt, begun, episode);
  let thrown: unknown;
  try {
    await untilAborted(context.agent({ ...view, prompt, tools, task }), signal);
  } catch (error) {
    thrown = error;
  }
  await episode.settled();
  const halt = haltOf(episode, signal, thrown);
  // The time was the provider's, not the agent's.
  const isHeldUp = halt?.stop === 'max_time' && turns.heldUp !== undefined;
  return { episode, halt: isHeldUp ? new Halt('model_error', `${halt.message}: ${turns.heldUp}`) : halt };
}

function toView(
  { planned, record, context, turns, signal }: Attempt,
  { prompt, tools }: Begun,
  episode: RecordedEpisode,
): Omit<AgentEpisode, 'prompt' | 'tools' | 'task'> {
  const { model, seed } = context;
  const log = { last: -1 };
  return {
    text: textOf(prompt, '\n\n'),
    call: (tool, input = {}) => episode.call(tool, input),
    signal,
    random: chanceOf(seed, `${planned.split}/${planned.index}/${planned.repeat}`),
    note: (text, data) => void record.append({ type: 'note', text, ...(data === undefined ? {} : { data }) }),
    model:
      model === undefined
        ? undefined
        : {
            name: model.address.name,
            start: (opening = {}) =>
              new RecordedConversation({ model, record, log, signal, turns }, { prompt, tools, ...opening }),
          },
  };
}

/** Why the episode did not finish. What the environment did comes before what an agent made of it. */
function haltOf(episode: RecordedEpisode, signal: AbortSignal, thrown: unknown): WhyHalted | undefined {
  if (episode.halt !== undefined) return episode.halt;
  if (episode.isFinished) return undefined;
  if (signal.aborted) return toHalt(signal.reason);
  if (thrown instanceof Halt) return thrown;
  if (thrown === undefined) return { stop: 'gave_up', message: 'the agent stopped before the episode was finished' };
  return new Halt('agent_threw', thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
}

/** Why there was nothing to play for the agent: time that setup took is not the agent's. */
function toEarlyHalt(reason: unknown): Halt {
  const halt = toHalt(reason);
  return halt.stop === 'max_time' ? new Halt('setup_failed', `${halt.message}, before the agent could begin`) : halt;
}

function toHalt(reason: unknown): Halt {
  return reason instanceof Halt ? reason : new Halt('interrupted', 'the run was stopped', { cause: reason });
}

/** An agent that does not hear the signal is not waited for. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // What it still throws has nobody to hear it.
    work.catch(() => {});
  }
}

async function close(session: Session, { record, signal }: Attempt): Promise<void> {
  try {
    await closeSession(session, signal);
  } catch (thrown) {
    // How the episode went is known; the server ends the session by itself.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    record.append({ type: 'note', text: `the session could not be deleted: ${why}` });
  }
}
