import {
  type AuthorsErrorCode,
  type CatalogEnvironment,
  type CompiledTool,
  chanceOf,
  describe,
  EnvironmentError,
  type EpisodeLog,
  episodeLog,
  type LazyAbort,
  type Log,
  printable,
  redact,
  type Secrets,
  toBlocks,
  toError,
} from '../../core/index.ts';
import type { ToolSpec, WireBlock } from '../../protocol/index.ts';
import type { CodeOwner } from '../author-code.ts';
import { CallContext, type ContextSource } from '../context.ts';
import { whatJsonLoses } from './json-loss.ts';

/** What an episode of an author's environment is made from. */
export interface EpisodeParts {
  /** The number of its session. */
  readonly session: number;
  readonly sid: string;
  readonly environment: CatalogEnvironment;
  readonly task: unknown;
  readonly secrets: Secrets;
  readonly seed: number;
  readonly isKept?: boolean | undefined;
  readonly isSavedStrictly?: boolean | undefined;
}

/** The author's side of a session: runs the author's code, and lets nothing it throws out unclean. */
export class Episode implements ContextSource, CodeOwner {
  readonly session: number;
  readonly sid: string;
  readonly environment: CatalogEnvironment;
  readonly task: unknown;
  readonly secrets: Secrets;
  readonly seed: number;
  /** Whether its state is saved after setup and after each call. */
  readonly savesStates: boolean;
  state: unknown;
  /** The tools that it offers, by name: all of its environment until setup has chosen those of its task. */
  tools: ReadonlyMap<string, CompiledTool>;
  finished = false;
  /** Whether it is being built again: what its code writes then stands in the log already. */
  isRepeating = false;
  readonly #isSavedStrictly: boolean;
  readonly #serverLog: Log;
  #log: EpisodeLog | undefined;

  constructor(parts: EpisodeParts, log: Log) {
    const { session, sid, environment, task, secrets, seed, isKept = true, isSavedStrictly = false } = parts;
    this.session = session;
    this.sid = sid;
    this.environment = environment;
    this.tools = environment.tools;
    this.task = task;
    this.secrets = secrets;
    this.seed = seed;
    this.savesStates = isKept && environment.durability === 'snapshot';
    this.#isSavedStrictly = isSavedStrictly;
    this.#serverLog = log;
  }

  get hidden(): Secrets {
    return this.secrets;
  }

  get log(): EpisodeLog {
    return this.isRepeating ? this.#quietLog : this.#ownLog;
  }

  /** Whether there is anything to do before the first call. */
  get needsSetup(): boolean {
    const { setup, taskTools, save } = this.environment.definition;
    return setup !== undefined || taskTools !== undefined || save !== undefined;
  }

  setUp(abort: LazyAbort): Promise<void> {
    const { setup } = this.environment.definition;
    return this.#begin('setup', abort, () => setup?.(new CallContext(this, { id: '', attempt: 1, abort })));
  }

  /** Makes the state from what `save` gave, instead of setting up. */
  restore(saved: string, abort: LazyAbort): Promise<void> {
    const { task, secrets, seed, log } = this;
    return this.#begin('restore', abort, () =>
      this.environment.definition.restore?.({
        saved: JSON.parse(saved),
        ...{ task, secrets, seed, log },
        random: chanceOf(seed, 'restore'),
        signal: abort.signal,
      }),
    );
  }

  /** The JSON of what `save` keeps of the state. */
  async save(): Promise<string> {
    const { task, state, log } = this;
    const saved: unknown = await this.environment.definition.save?.({ task, state, log });
    const json = JSON.stringify(saved);
    if (json === undefined) throw new TypeError(`save returned ${describe(saved)}, which JSON cannot hold`);
    const loss = this.#isSavedStrictly ? whatJsonLoses(saved) : undefined;
    if (loss !== undefined) throw new TypeError(`save returned ${loss}, which JSON cannot hold`);
    return json;
  }

  readPrompt(): Promise<WireBlock[]> {
    const { task, state, seed } = this;
    return this.#guarded('prompt', async ({ prompt }) => {
      const blocks = toBlocks(await prompt({ task, state, seed, random: chanceOf(seed, 'prompt') }));
      return blocks.length > 0 ? blocks : toBlocks('');
    });
  }

  /** Releases what setup took. A failure is logged, since nobody is left to hear of it. */
  async tearDown(): Promise<void> {
    const { task, state, log } = this;
    await this.#guarded('teardown', async ({ teardown }) => teardown?.({ task, state, log })).catch(() => {});
  }

  /** How clients see its tools. */
  get toolSpecs(): readonly ToolSpec[] {
    return this.environment.allTools.filter(({ name }) => this.tools.has(name));
  }

  /** An author's throw, logged and made fit to send: without the episode's secrets. */
  failure(what: string, thrown: unknown, code: AuthorsErrorCode = 'environment_failed'): EnvironmentError {
    const message = `${what} of environment '${this.environment.name}' failed`;
    const clean = (text: string) => redact(text, this.secrets);
    const error = new EnvironmentError(code, message, { thrown, clean, logged: true });
    // The whole of it, because the causes say why; the log takes the secrets out.
    const log = code === 'environment_failed' ? this.log : this.#ownLog;
    log.error(message, { error: toError(thrown) });
    return error;
  }

  get #logFields(): object {
    return { sid: printable(this.sid), environment: this.environment.name };
  }

  get #ownLog(): EpisodeLog {
    this.#log ??= episodeLog(this.#serverLog, this.#logFields, this.secrets);
    return this.#log;
  }

  /** What a call wrote the first time is written again, but nobody needs to look at it. */
  get #quietLog(): EpisodeLog {
    const write = (fields: object, message?: string) => this.#serverLog.debug(fields, message);
    const quiet = { debug: write, info: write, warn: write, error: write };
    return episodeLog(quiet, { ...this.#logFields, replaying: true }, this.secrets);
  }

  async #begin(what: 'setup' | 'restore', abort: LazyAbort, makeState: () => unknown): Promise<void> {
    const { taskTools } = this.environment.definition;
    try {
      this.state = await makeState();
      const chosen = await taskTools?.({ task: this.task, state: this.state });
      if (chosen !== undefined) this.tools = this.#toTaskTools(chosen.map(String));
    } catch (thrown) {
      if (!abort.aborted) throw this.failure(what, thrown, `${what}_failed`);
      // Most setups throw when they are told to stop: nothing of theirs has failed.
      this.log.info(`${what} was aborted`, { error: toError(thrown) });
    }
  }

  async #guarded<Value>(
    what: string,
    run: (definition: CatalogEnvironment['definition']) => Promise<Value>,
  ): Promise<Value> {
    try {
      return await run(this.environment.definition);
    } catch (thrown) {
      throw this.failure(what, thrown);
    }
  }

  #toTaskTools(names: readonly string[]): ReadonlyMap<string, CompiledTool> {
    for (const name of names) {
      const tool = this.environment.tools.get(name);
      if (tool === undefined) throw new TypeError(`taskTools names '${name}', which is not a tool of this environment`);
      if (tool.shared)
        throw new TypeError(`Tool name collision: taskTools names '${name}', which every task has: it is shared`);
    }
    return new Map([...this.environment.tools].filter(([name, tool]) => tool.shared || names.includes(name)));
  }
}
