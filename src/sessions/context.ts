import {
  type Abortable,
  abortOf,
  chanceOf,
  type EpisodeLog,
  type EpisodeToolContext,
  type Secrets,
} from '../core/index.ts';

/** What an author's code may see: of its episode, or of a call outside one. */
export interface ContextSource {
  readonly task?: unknown;
  readonly state?: unknown;
  readonly seed: number;
  readonly secrets: Secrets;
  readonly authorization?: Readonly<Record<string, string>> | undefined;
  readonly userId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly log: EpisodeLog;
}

/** The call, or the setup, that an author's code runs for. */
export interface ContextPart extends Abortable {
  /** The id of the call; empty for a setup. */
  readonly id: string;
  readonly attempt: number;
}

/** What a tool or setup sees; getters, so that a signal, a log or chance is made only for one that asks. */
export class CallContext implements EpisodeToolContext<unknown, unknown> {
  readonly #source: ContextSource;
  readonly #part: ContextPart;
  #random: (() => number) | undefined;

  constructor(source: ContextSource, part: ContextPart) {
    this.#source = source;
    this.#part = part;
  }

  get task(): unknown {
    return this.#source.task;
  }

  get state(): unknown {
    return this.#source.state;
  }

  get secrets(): Secrets {
    return this.#source.secrets;
  }

  get authorization(): Readonly<Record<string, string>> | undefined {
    return this.#source.authorization;
  }

  get userId(): string | undefined {
    return this.#source.userId;
  }

  get traceId(): string | undefined {
    return this.#source.traceId;
  }

  get log(): EpisodeLog {
    return this.#source.log;
  }

  get signal(): AbortSignal {
    return abortOf(this.#part).signal;
  }

  get callId(): string {
    return this.#part.id;
  }

  get attempt(): number {
    return this.#part.attempt;
  }

  get seed(): number {
    return this.#source.seed;
  }

  get random(): () => number {
    const { id } = this.#part;
    this.#random ??= chanceOf(this.seed, id === '' ? 'setup' : `call ${id}`);
    return this.#random;
  }
}
