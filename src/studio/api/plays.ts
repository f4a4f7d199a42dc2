import type { JsonObject, JsonValue, WireBlock } from '../../protocol/index.ts';
import type { Problem } from './problem.ts';

/** What is played: an episode of an environment, or the tools of a server without any episode. */
export type PlaySubject =
  | { readonly kind: 'episode'; readonly environment: string; readonly choice: PlayChoice }
  | { readonly kind: 'tools' };

/** A task of a split, or one of your own. */
export type PlayChoice = { readonly split: string; readonly index: number } | { readonly task: JsonObject };

/** A play to begin. */
export interface NewPlay {
  readonly target: string;
  readonly subject: PlaySubject;
  /** Sent to the server and never sent back: answers show names only, and values masked. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * starting: the session is made and set up. replaying: the calls of the branch it came from are made again. ready: your turn. finished:
 * the episode ended by itself. ended: you ended it. lost: the session is gone. failed: it could not be started.
 */
export type PlayStatus = 'starting' | 'replaying' | 'ready' | 'finished' | 'ended' | 'lost' | 'failed';

/** A play without its steps, for lists and the tree of branches. */
export interface PlayHead {
  readonly id: string;
  readonly target: string;
  readonly subject: PlaySubject;
  /** The play this is a branch of, and how many of its steps were played again. */
  readonly parent: { readonly play: string; readonly keep: number } | null;
  readonly status: PlayStatus;
  readonly createdAt: number;
  readonly stepCount: number;
  /** The sum of all rewards; null if none was paid. */
  readonly total: number | null;
  /** How many steps (and the prompt) came out otherwise than in the parent. */
  readonly divergences: number;
  /** Why it is `lost` or `failed`. */
  readonly problem: Problem | null;
}

/** A play as a whole. */
export interface Play extends PlayHead {
  /** The session's id on its server; null for tools, and before there is one. */
  readonly sid: string | null;
  /** Null until it was read, and for tools. */
  readonly prompt: readonly WireBlock[] | null;
  readonly promptDivergences: readonly Divergence[];
  readonly tools: readonly PlayTool[];
  /** The names of the secrets that were given. */
  readonly secrets: readonly string[];
  readonly steps: readonly Step[];
}

/** A tool to call. */
export interface PlayTool {
  /** What a call names: ORS's name, OXP's id. */
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject | null;
  readonly output_schema: JsonObject | null;
  readonly version: string | null;
  /** Names of the secrets that it needs. */
  readonly secrets: readonly string[];
}

/** A call to make. */
export interface NewCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** One call, and what came of it. */
export interface Step {
  /** Its place in the play, from 0. */
  readonly n: number;
  readonly tool: string;
  readonly input: JsonObject;
  readonly status: 'running' | 'returned' | 'failed' | 'cancelled';
  readonly startedAt: number;
  /** Null while it runs. */
  readonly ms: number | null;
  readonly result: StepResult | null;
  readonly problem: Problem | null;
  /** Whether it was played again from the parent. */
  readonly isReplay: boolean;
  /** How it differs from the same step of the parent. */
  readonly divergences: readonly Divergence[];
}

/** What a call returned. */
export interface StepResult {
  readonly blocks: readonly WireBlock[];
  /** Null: none was paid, which is not the same as 0. */
  readonly reward: number | null;
  readonly finished: boolean;
  readonly metadata: JsonObject | null;
  /** What an OXP tool returned; left out for episodes. */
  readonly value?: JsonValue;
}

/** Something that came out otherwise than before. */
export interface Divergence {
  readonly what: 'failure' | 'reward' | 'finished' | 'text' | 'images' | 'metadata';
  readonly before: JsonValue;
  readonly now: JsonValue;
}

/** One exchange with the server, as it was on the wire; keys and secrets are masked. */
export interface WireExchange {
  readonly at: number;
  readonly ms: number | null;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
  /** Null if none came. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As it came, up to `cut` characters. */
    readonly body: string;
    /** How many characters are left out at the end. */
    readonly cut: number;
  } | null;
  readonly error: string | null;
}

/** The forms in which a play can be saved. */
export type PlayExportFormat = 'game' | 'test' | 'curl';

/** A play as a file. */
export interface PlayExport {
  /** A name to save it under. */
  readonly name: string;
  readonly mimeType: string;
  readonly text: string;
}
