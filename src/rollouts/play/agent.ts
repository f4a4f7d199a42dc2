import type { JsonObject, JsonValue, ToolSpec, WireBlock } from '../../protocol/index.ts';
import type { EpisodeModel } from './conversation.ts';

/** Plays one episode; returning before it is finished gives up. Runs many times side by side, so it keeps nothing between episodes. */
export type Agent = (episode: AgentEpisode) => Promise<void>;

/** An episode as an agent sees it: never the task, unless it was given oracle rights. */
export interface AgentEpisode {
  readonly prompt: readonly WireBlock[];
  /** The text of the prompt. */
  readonly text: string;
  readonly tools: readonly ToolSpec[];
  /** Calls a tool. What a tool refuses comes back as an answer with `isError`, for the agent to read. */
  call(tool: string, input?: JsonObject): Promise<ToolAnswer>;
  /** The model of the run; undefined without `--model`. */
  readonly model: EpisodeModel | undefined;
  /** Fires when the episode is over for the runner: time is up, or the run was stopped. */
  readonly signal: AbortSignal;
  /** Numbers from 0 up to 1, the same each time this episode is played with the same seed. */
  readonly random: () => number;
  /** Writes something into the record of the episode. */
  note(text: string, data?: JsonValue): void;
  /** The task itself; only for agents with oracle rights. */
  readonly task: JsonObject | undefined;
}

/** What a call gave. */
export interface ToolAnswer {
  readonly blocks: readonly WireBlock[];
  readonly text: string;
  readonly reward: number | null;
  readonly finished: boolean;
  readonly metadata: JsonObject | null;
  /** True if the tool refused the call: the text says why. */
  readonly isError: boolean;
}
