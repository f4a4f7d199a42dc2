import { random } from '../random.ts';
import { playEpisode, type Stage } from './episode.ts';
import { OurClient } from './our-client.ts';
import { playOxp } from './oxp-client.ts';
import { RawClient } from './raw-client.ts';

/** Who plays, and what; the same seed makes the same choices. */
export interface PlayOptions extends Partial<Pick<Stage, 'environments' | 'tools'>> {
  readonly seed: number;
  /** How many episodes are played; more if what happens meanwhile takes longer. */
  readonly episodes: number;
  /** How many episodes are played at a time. */
  readonly players: number;
  readonly kinds?: readonly (keyof typeof PLAYERS | Player)[];
}

/** A kind of client that only some proofs have. */
export interface Player {
  readonly name: string;
  readonly play: (stage: Stage, episode: string) => Promise<void>;
}

/** How far it is. */
export interface Progress {
  /** How many episodes have begun. */
  begun: number;
  /** Whether all that is to happen meanwhile is over. */
  isOver: boolean;
}

/** The kinds of clients: ours, one that chooses the ids of its calls, one that is told them, and one of toolkits. */
const PLAYERS = {
  ours: (stage: Stage, name: string) => playEpisode(stage, name, new OurClient(stage)),
  raw: (stage: Stage, name: string) => playEpisode(stage, name, new RawClient(stage, 'ids')),
  bare: (stage: Stage, name: string) => playEpisode(stage, name, new RawClient(stage, 'no ids')),
  oxp: playOxp,
} as const;

const ENVIRONMENTS = ['replayed', 'replayed', 'replayed', 'saved', 'saved', 'saved', 'plain', 'drifting'] as const;
const TOOLS = ['add', 'add', 'add', 'add', 'pay', 'pay', 'mail', 'mail', 'look', 'fail'];

/** Plays episodes until there are enough, and what happens meanwhile is over. */
export async function play(
  { seed, episodes, players, kinds = ['ours', 'raw', 'bare', 'oxp'], ...options }: PlayOptions,
  stage: Pick<Stage, 'port' | 'cuttingPort' | 'history'>,
  progress: Progress,
): Promise<void> {
  const { environments = ENVIRONMENTS, tools = TOOLS } = options;
  const player = async () => {
    while (progress.begun < episodes || !progress.isOver) {
      const number = progress.begun;
      progress.begun += 1;
      // Choices of its own for each episode: what happens in one does not change those of the next.
      const choices = random(seed * 1_000_003 + number);
      const kind = kinds[number % kinds.length] ?? 'raw';
      const { name, play: playOne } = typeof kind === 'object' ? kind : { name: kind, play: PLAYERS[kind] };
      await playOne({ ...stage, environments, tools, random: choices }, `${name}-${number}`);
    }
  };
  await Promise.all(Array.from({ length: players }, player));
}

/** For a proxy that cuts a third of the connections of our client, anywhere in their first 700 bytes. */
export function cuts(seed: number): (connection: number) => number | undefined {
  return (connection) => (connection % 3 === 0 ? random(seed + connection).below(700) : undefined);
}
