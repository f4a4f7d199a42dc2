import { setTimeout as pause } from 'node:timers/promises';
import type { History } from '../chaos/history.ts';
import type { Random } from '../random.ts';

/** The contracts of the world, one environment for each. */
export const ENVIRONMENTS = ['replayed', 'saved', 'plain', 'drifting'] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];

/** What an episode is played with: where to send, what to choose, and where to note what came of it. */
export interface Stage {
  /** Straight to the server. */
  readonly port: number;
  /** To the server through a proxy that cuts connections. */
  readonly cuttingPort: number;
  readonly random: Random;
  readonly history: History;
  /** What episodes consist of; the more often one is named, the more often it is chosen. */
  readonly environments: readonly EnvironmentName[];
  readonly tools: readonly string[];
}

/** A call that is about to be sent. */
export interface DurableCall {
  readonly token: string;
  readonly tool: string;
  readonly input: { readonly token: string; readonly ms: number; readonly n?: number };
}

/** One client, for one episode. It does not give up before it is answered, whatever happens to servers and workers. */
export interface EpisodeClient {
  /** Begins the episode; false if that was refused. */
  create(environment: EnvironmentName, task: object): Promise<boolean>;
  prompt(): Promise<void>;
  call(call: DurableCall): Promise<void>;
  /** Asks once more for a call that was answered, under its id. */
  repeat(call: DurableCall): Promise<void>;
  delete(): Promise<void>;
}

/** Plays one episode: calls one after another, or a few at once, and in the end asks again for what it was told. */
export async function playEpisode(stage: Stage, episode: string, client: EpisodeClient): Promise<void> {
  const { random, environments } = stage;
  const environment = random.pick(environments);
  const task = { episode: nameIn(environment, episode), setupMs: random.pick([0, 0, 0, 30, 200]) };
  if (!(await client.create(environment, task))) return;
  if (random.chance(0.3)) await client.prompt();
  const calls: DurableCall[] = [];
  const call = async (chosen: DurableCall) => {
    await client.call(chosen);
    calls.push(chosen);
  };
  if (environment === 'drifting') await call(chooseCall(stage, `${task.episode}.first`, 'drift'));
  const rounds = 1 + random.below(5);
  for (let round = 0; round < rounds; round += 1) {
    const together = random.chance(0.25) ? 2 + random.below(2) : 1;
    const chosen = Array.from({ length: together }, (_, index) =>
      chooseCall(stage, `${task.episode}.${round}.${index}`),
    );
    await Promise.all(chosen.map(call));
    if (random.chance(0.2)) await client.repeat(random.pick(calls));
    // Long enough that the server notes that somebody still uses it.
    if (random.chance(0.02)) await rest(client);
  }
  if (random.chance(0.3)) await call(chooseCall(stage, `${task.episode}.last`, 'finish'));
  for (const each of calls) if (random.chance(0.5)) await client.repeat(each);
  // Some never come back.
  if (random.chance(0.97)) await client.delete();
}

/** An episode's name tells its environment to the model. */
function nameIn(environment: EnvironmentName, episode: string): string {
  return `${environment}-${episode}`;
}

/** The environment of an episode; undefined over OXP, where there is none. */
export function environmentOf(episode: string): EnvironmentName | undefined {
  return ENVIRONMENTS.find((each) => episode.startsWith(`${each}-`));
}

/** The tools whose calls count, and what they add. */
export const COUNTED: ReadonlySet<string> = new Set(['add', 'pay']);

function chooseCall({ random, tools }: Stage, token: string, tool: string = random.pick(tools)): DurableCall {
  const ms = random.pick([0, 0, 5, 20, 60, 300]);
  return { token, tool, input: { token, ms, ...(COUNTED.has(tool) ? { n: 1 + random.below(9) } : {}) } };
}

async function rest(client: EpisodeClient): Promise<void> {
  for (let count = 0; count < 12; count += 1) {
    await pause(800);
    await client.prompt();
  }
}
