import { TiltyardError, toFailure } from '../core/index.ts';
import { keyOf } from '../sessions/index.ts';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Locator } from './locator.ts';
import type { Membership } from './membership.ts';
import { type Answer, type Ask, nodeSubject } from './messages.ts';
import type { NewSessions } from './new-sessions.ts';
import { ELSEWHERE, type Residence } from './residence.ts';

// As long as an asker may ask once more under the same id.
const REMEMBERED_MS = 10_000;

/** What answering needs. */
export interface AskServerParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly membership: Membership;
  readonly locator: Locator;
  readonly residence: Residence;
  readonly newSessions: NewSessions;
  /** Hands over all sessions of this node. */
  readonly drain: () => void;
}

/** Answers what other nodes ask. What is asked again while it is under way, or shortly after, is not done again. */
export class AskServer {
  readonly #parts: AskServerParts;
  readonly #underWay = new Map<string, Promise<Answer>>();
  #stop: () => void = () => {};

  constructor(parts: AskServerParts) {
    this.#parts = parts;
  }

  start(): void {
    const { bus, membership } = this.#parts;
    this.#stop = bus.subscribe(nodeSubject(membership.self.id), (message, reply) => {
      const ask = message as Ask;
      const answering = this.#underWay.get(ask.id) ?? this.#begin(ask);
      void answering.then(reply);
    });
  }

  stop(): void {
    this.#stop();
  }

  #begin(ask: Ask): Promise<Answer> {
    const answering = this.#answer(ask).catch(toAnswer);
    this.#underWay.set(ask.id, answering);
    void answering.then((answer) => {
      // That it is elsewhere may be wrong a moment later.
      const ms = answer.kind === 'elsewhere' ? 0 : REMEMBERED_MS;
      this.#parts.clock.after(ms, () => this.#underWay.delete(ask.id));
    });
    return answering;
  }

  async #answer(ask: Ask): Promise<Answer> {
    const { locator, residence, newSessions, drain } = this.#parts;
    switch (ask.op) {
      case 'drain':
        drain();
        return { kind: 'value' };
      case 'adopt':
        return { kind: 'value', value: await locator.take(ask.place) };
      default: {
        if (ask.op === 'create' && ask.after !== undefined) return newSessions.createHere(ask, ask.after);
        if (residence.has(keyOf(ask.ref))) return residence.answer(ask);
        // It may be this node's without its knowledge: handed over, or claimed with a record whose receipt was lost.
        locator.forget(ask.ref);
        return (await locator.locate(ask.ref)).kind === 'here' ? residence.answer(ask) : ELSEWHERE;
      }
    }
  }
}

/** What is not an answer to the question is a reason to ask again, here or elsewhere. */
function toAnswer(thrown: unknown): Answer {
  return thrown instanceof TiltyardError ? { kind: 'failed', failure: toFailure(thrown) } : ELSEWHERE;
}
