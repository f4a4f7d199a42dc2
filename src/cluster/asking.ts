import { type Failure, TiltyardError } from '../core/index.ts';
import { Fenced } from '../journal/index.ts';
import type { SessionRef } from '../sessions/index.ts';
import { type Bus, NoAnswer, NoResponders } from './bus.ts';
import { type Clock, pause } from './clock.ts';
import type { Locator, Whereabouts } from './locator.ts';
import type { Membership } from './membership.ts';
import { type Answer, type Ask, nodeSubject } from './messages.ts';
import type { Residence, SessionQuestion } from './residence.ts';
import { Unreachable } from './shared-journal.ts';

/** After so long without an answer, a node is asked once more. */
const ASK_AGAIN_MS = 3_000;

/** So long a client waits for a cluster that cannot answer. Official clients give up after 30 s of silence. */
const PATIENCE_MS = 25_000;

const BREATH_MS = 100;

/** Why nothing can be answered now. */
export const CLUSTER_UNAVAILABLE: Failure = {
  code: 'journal_unavailable',
  message: 'this node cannot reach the journal of its cluster at the moment. Nothing is lost; try again later',
};

/** What asking needs. */
export interface AskingParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly membership: Membership;
  readonly locator: Locator;
  readonly residence: Residence;
}

/** Asks the node that has a session, until there is an answer: nodes may die, and sessions may move meanwhile. */
export class Asking {
  readonly #parts: AskingParts;
  #count = 0;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** What is answered. `isPatient`: its client hears pings, and waits for as long as it takes. */
  ask(question: SessionQuestion, isPatient?: () => boolean): Promise<Answer> {
    const ask = { ...question, id: this.nextId() };
    return this.untilAnswered(ask.ref, () => this.#try(ask), isPatient);
  }

  /** Who has a session. */
  locate(ref: SessionRef): Promise<Whereabouts> {
    return this.untilAnswered(ref, async () => answered(await this.#parts.locator.locate(ref)));
  }

  /** Tries something until it is answered; rejects when it was impossible for too long. */
  async untilAnswered<Value>(
    ref: SessionRef,
    attempt: () => Promise<Attempt<Value>>,
    isPatient: () => boolean = () => false,
  ): Promise<Value> {
    const { clock, locator } = this.#parts;
    let troubledSince: number | undefined;
    for (;;) {
      const result = await attempt().catch(toTrouble);
      if (result.kind === 'answered') return result.answer;
      if (result.kind === 'silent') {
        troubledSince = undefined;
        continue;
      }
      locator.forget(ref);
      troubledSince ??= clock.now();
      if (clock.now() - troubledSince > PATIENCE_MS && !isPatient()) throw unavailable();
      await pause(clock, BREATH_MS);
    }
  }

  /** Asks a node once. */
  async tryNode(node: string, ask: Ask): Promise<Attempt<Answer>> {
    const { membership } = this.#parts;
    let stop: () => void = () => {};
    // No answer comes from a node that has died meanwhile.
    const death = new Promise<typeof TROUBLE>((resolve) => {
      stop = membership.onDeath((id) => void (id === node && resolve(TROUBLE)));
    });
    return Promise.race([this.#request(node, ask), death]).finally(stop);
  }

  async #request(node: string, ask: Ask): Promise<Attempt<Answer>> {
    const { bus, membership } = this.#parts;
    try {
      return toAttempt((await bus.request(nodeSubject(node), ask, ASK_AGAIN_MS)) as Answer);
    } catch (thrown) {
      if (thrown instanceof NoResponders) membership.gone(node);
      else if (!(thrown instanceof NoAnswer)) throw thrown;
      return membership.stateOf(node) === 'alive' && !membership.isCutOff ? SILENT : TROUBLE;
    }
  }

  nextId(): string {
    this.#count += 1;
    return `${this.#parts.membership.self.id} ${this.#count}`;
  }

  async #try(ask: SessionQuestion & Ask): Promise<Attempt<Answer>> {
    const { locator, residence } = this.#parts;
    const where = await locator.locate(ask.ref);
    if (where.kind === 'nobody') return toAttempt(await residence.ofNobody(ask));
    if (where.kind === 'here') return toAttempt(await residence.answer(ask));
    return this.tryNode(where.node, ask);
  }
}

/** The error of what cannot be answered. */
function unavailable(): TiltyardError {
  return new TiltyardError(CLUSTER_UNAVAILABLE.code, CLUSTER_UNAVAILABLE.message);
}

/** What came of asking once. Silent: the node is alive, and works on it. */
export type Attempt<Value> =
  | { readonly kind: 'answered'; readonly answer: Value }
  | { readonly kind: 'silent' }
  | { readonly kind: 'trouble' };

const SILENT = { kind: 'silent' } as const;
const TROUBLE = { kind: 'trouble' } as const;

/** An attempt that came to an end. */
function answered<Value>(answer: Value): Attempt<Value> {
  return { kind: 'answered', answer };
}

/** An answer as what came of asking: that the session is elsewhere is none. */
export function toAttempt(answer: Answer): Attempt<Answer> {
  return answer.kind === 'elsewhere' ? TROUBLE : answered(answer);
}

function toTrouble(thrown: unknown): typeof TROUBLE {
  if (thrown instanceof Unreachable || thrown instanceof Fenced) return TROUBLE;
  throw thrown;
}
