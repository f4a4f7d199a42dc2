import type { Session } from '../../client/index.ts';
import type { ToolSpec } from '../../protocol/index.ts';
import { type Move, makeCall, type PlayedCall } from '../shared/calls.ts';

/** Who decides what is called next: a person, or a script. */
export interface Player {
  /** The next call, or undefined to leave the game. */
  next(tools: readonly ToolSpec[]): Promise<Move | undefined>;
}

/** A game so far. */
export interface Game {
  readonly calls: readonly PlayedCall[];
  /** The sum of all rewards. */
  readonly total: number;
  readonly outcome: 'playing' | 'finished' | 'left';
}

/** How a game is played. */
export interface GameOptions {
  readonly session: Session;
  readonly tools: readonly ToolSpec[];
  readonly player: Player;
  readonly signal: AbortSignal;
  /** Before each call. */
  readonly onMove: (move: Move) => void;
  /** After each call, and at the end. */
  readonly onChange: (game: Game) => Promise<void>;
}

/** Plays an episode to its end, or until the player leaves. */
export async function playGame({ session, tools, player, signal, onMove, onChange }: GameOptions): Promise<Game> {
  let game: Game = { calls: [], total: 0, outcome: 'playing' };
  while (game.outcome === 'playing') {
    const move = await player.next(tools);
    if (move !== undefined) onMove(move);
    game = move === undefined ? { ...game, outcome: 'left' } : withCall(game, await makeCall(session, move, signal));
    await onChange(game);
  }
  return game;
}

function withCall({ calls, total }: Game, played: PlayedCall): Game {
  return {
    calls: [...calls, played],
    total: total + (played.result?.reward ?? 0),
    outcome: played.result?.finished === true ? 'finished' : 'playing',
  };
}
