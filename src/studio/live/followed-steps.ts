import type { LiveStep } from '../api.ts';

/** How much is kept. */
export interface FollowLimits {
  readonly steps: number;
  /** Of contents: inputs and results. */
  readonly bytes: number;
}

/** The newest steps of one session, with their contents. */
export class FollowedSteps {
  readonly #limits: FollowLimits;
  readonly #steps = new Map<string, LiveStep>();
  readonly #changed = new Set<string>();
  readonly #bytes = new Map<string, number>();
  #held = 0;

  constructor(limits: FollowLimits) {
    this.#limits = limits;
  }

  list(): LiveStep[] {
    return [...this.#steps.values()];
  }

  find(id: string): LiveStep | undefined {
    return this.#steps.get(id);
  }

  /** Adds a step, or what is new of it; `bytes` is about how much memory that takes. */
  note(step: LiveStep, bytes: number): void {
    const { id } = step;
    this.#steps.set(id, step);
    this.#changed.add(id);
    this.#bytes.set(id, (this.#bytes.get(id) ?? 0) + bytes);
    this.#held += bytes;
    while (this.#steps.size > 1 && (this.#steps.size > this.#limits.steps || this.#held > this.#limits.bytes))
      this.#forgetOldest();
  }

  /** The steps that have changed since it was last asked. */
  takeChanged(): LiveStep[] {
    const changed = [...this.#changed].flatMap((id) => this.#steps.get(id) ?? []);
    this.#changed.clear();
    return changed;
  }

  #forgetOldest(): void {
    const [oldest = ''] = this.#steps.keys();
    this.#held -= this.#bytes.get(oldest) ?? 0;
    this.#bytes.delete(oldest);
    this.#steps.delete(oldest);
    this.#changed.delete(oldest);
  }
}
