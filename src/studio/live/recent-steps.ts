import type { WatchedCall } from '../../protocol/index.ts';
import type { LiveStep } from '../api.ts';
import { toLiveStep } from './live-state.ts';

/** How many steps are kept. */
export interface StepLimits {
  /** Of each session. */
  readonly each: number;
  /** Of all sessions together. */
  readonly all: number;
}

/** The newest steps of many sessions. */
export class RecentSteps {
  /** The session that was quiet for longest comes first. */
  readonly #sessions = new Map<string, Map<string, LiveStep>>();
  readonly #limits: StepLimits;
  #count = 0;

  constructor(limits: StepLimits) {
    this.#limits = limits;
  }

  of(sid: string): LiveStep[] {
    return [...(this.#sessions.get(sid)?.values() ?? [])];
  }

  add(sid: string, call: WatchedCall, at: number): void {
    const steps = this.#sessions.get(sid) ?? new Map<string, LiveStep>();
    this.forget(sid);
    const step = toLiveStep(call, at, (id) => steps.get(id));
    steps.set(step.id, step);
    const [oldest] = steps.keys();
    if (steps.size > this.#limits.each && oldest !== undefined) steps.delete(oldest);
    this.#sessions.set(sid, steps);
    this.#count += steps.size;
    while (this.#count > this.#limits.all) this.#forgetQuietest();
  }

  forget(sid: string): void {
    this.#count -= this.#sessions.get(sid)?.size ?? 0;
    this.#sessions.delete(sid);
  }

  /** Forgets the steps of all sessions but these. */
  keepOnly(sids: { has(sid: string): boolean }): void {
    for (const sid of this.#sessions.keys()) if (!sids.has(sid)) this.forget(sid);
  }

  #forgetQuietest(): void {
    const [quietest = ''] = this.#sessions.keys();
    this.forget(quietest);
  }
}
