import { type CallResult, type Session, ToolCallError, ToolFailed } from '../../client/index.ts';
import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { waitFor } from '../shared/waiting.ts';

/** A call that somebody wants to make. */
export interface Move {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Who decides what is called next: a person, or a script. */
export interface Player {
  /** The next call, or undefined to leave the game. */
  next(tools: readonly ToolSpec[]): Promise<Move | undefined>;
}

/** Why a call gave no result; the episode goes on. */
export interface CallFailure {
  /** As the client names reasons, or `broken` for a tool that threw. */
  readonly reason: string;
  readonly message: string;
}

/** A call that was made. */
export interface PlayedCall extends Move {
  readonly result: CallResult | undefined;
  readonly failure: CallFailure | undefined;
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
  /** After each call, and at the end. */
  readonly onChange: (game: Game) => Promise<void>;
}

/** Plays an episode to its end, or until the player leaves. */
export async function playGame({ session, tools, player, signal, onChange }: GameOptions): Promise<Game> {
  let game: Game = { calls: [], total: 0, outcome: 'playing' };
  while (game.outcome === 'playing') {
    const move = await player.next(tools);
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

async function makeCall(session: Session, move: Move, signal: AbortSignal): Promise<PlayedCall> {
  try {
    const calling = session.call(move.tool, move.input, { signal });
    return { ...move, result: await waitFor(`waiting for ${toSafeText(move.tool)}`, calling), failure: undefined };
  } catch (thrown) {
    if (thrown instanceof ToolCallError)
      return { ...move, result: undefined, failure: { reason: thrown.reason, message: thrown.message } };
    if (thrown instanceof ToolFailed)
      return { ...move, result: undefined, failure: { reason: 'broken', message: thrown.message } };
    throw thrown;
  }
}
