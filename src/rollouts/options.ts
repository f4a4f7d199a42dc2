import type { ConnectOptions } from '../client/index.ts';
import type { JsonObject } from '../protocol/index.ts';
import type { ScriptedCall, Solve } from './agents/scripted-agent.ts';
import type { RewardRule, UnfinishedRule } from './outcome/reward.ts';
import type { Agent } from './play/agent.ts';
import type { Progress } from './progress.ts';
import type { Price } from './schedule/budget.ts';

/** What a run is made of. */
export interface RolloutOptions {
  /** The URL of an ORS server. */
  readonly target: string;
  /** How to reach it: a key, headers. */
  readonly connect?: ConnectOptions | undefined;
  /** What the target is called in files; a module's path, say. Default: its URL. */
  readonly targetName?: string | undefined;
  /** Default: the server's first. */
  readonly environment?: string | undefined;
  /** Default: the environment's first. */
  readonly split?: string | undefined;

  /** Who plays. Default: `model` if there is one. */
  readonly agent?: Agent | AgentChoice | undefined;
  /** What the agent is called in files; two agents with the same name are taken for the same when a run is resumed. Default: its function's name. */
  readonly agentName?: string | undefined;
  /** `provider/name[@base-url]`; its key is read from the environment variable of the provider. */
  readonly model?: string | undefined;
  /** Sent with every request to the model, as its API calls them: temperature and the like. */
  readonly parameters?: JsonObject | undefined;
  /** What the model is told before the prompt. */
  readonly system?: string | undefined;

  /** How many tasks, from `from`. Default: all. */
  readonly n?: number | undefined;
  readonly from?: number | undefined;
  /** Which tasks, instead of `n` and `from`. */
  readonly indices?: readonly number[] | undefined;
  /** How often each task is played. Default: 1. */
  readonly k?: number | undefined;
  /** What all chance begins with. Default: 0. */
  readonly seed?: number | undefined;

  /** Where the run is written. */
  readonly out: string;
  /** Goes on with the run that is there, with its `concurrency`, `retries`, budgets and `prices` where none are given. Default: false. */
  readonly resume?: boolean | undefined;

  /** How many episodes are open at a time; `auto` follows what the model's provider allows. Default: 16. */
  readonly concurrency?: number | 'auto' | undefined;
  /** Requests to the model in an episode; calls, without a model. Default: 50. */
  readonly maxTurns?: number | undefined;
  /** Tokens that the model may write in an episode. */
  readonly maxTokens?: number | undefined;
  /** The longest that an episode may take. */
  readonly timeoutMs?: number | undefined;
  /** How often an episode that failed for no fault of the agent is tried again. Default: 2. */
  readonly retries?: number | undefined;

  /** What the whole run may spend, earlier sessions included; the rest is owed. */
  readonly budgetTokens?: number | undefined;
  readonly budgetUsd?: number | undefined;
  /** How long it may be played until it stops; starts anew when it is resumed. */
  readonly budgetMs?: number | undefined;
  /** US dollars for a million tokens, by the model's name. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;

  /** How the rewards of the steps become the reward of the episode. Default: sum. */
  readonly reward?: RewardRule | undefined;
  /** What an episode counts for in which the agent stopped early, and nothing was paid. Default: zero. */
  readonly unfinished?: UnfinishedRule | undefined;
  /** The least reward with which an episode counts as passed. Default: 1. */
  readonly pass?: number | undefined;
  /** A field of tasks that says which of them belong together. */
  readonly cluster?: string | undefined;

  /** Labels of your own. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Given to the environment; in no file. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Stops the run: what is being played is owed. */
  readonly signal?: AbortSignal | undefined;
  /** Hears of the run once, when it begins: the object tells from then on how far it is. */
  readonly onStart?: ((progress: Progress) => void) | undefined;
}

/** The agents that come with the runner. */
export type AgentChoice = 'model' | 'random' | { readonly solve: Solve } | { readonly calls: readonly ScriptedCall[] };
