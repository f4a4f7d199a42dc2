import { TiltyardError, toFailureError } from '../core/index.ts';
import type { CreateRequest, SessionOptions, SessionRef } from '../sessions/index.ts';
import { type Asking, type Attempt, CLUSTER_UNAVAILABLE, toAttempt } from './asking.ts';
import type { HomeHost } from './home.ts';
import type { Membership } from './membership.ts';
import type { Answer, Ask } from './messages.ts';
import type { Residence } from './residence.ts';

type CreateAsk = Extract<Ask, { op: 'create' }>;

/** What beginning sessions needs. */
export interface NewSessionsParts {
  readonly membership: Membership;
  readonly residence: Residence;
  readonly asking: Asking;
  readonly home: HomeHost;
  readonly options: Pick<SessionOptions, 'maxSessionsPerIdentity'>;
}

/** Begins sessions, each at the node with the most room. */
export class NewSessions {
  readonly #parts: NewSessionsParts;

  constructor(parts: NewSessionsParts) {
    this.#parts = parts;
  }

  /** Begins a session at some node; one that is there already is asked whether it is the same. */
  async create(ref: SessionRef, request: CreateRequest): Promise<void> {
    const { asking } = this.#parts;
    const ask: CreateAsk = { op: 'create', ref, request, isNew: true, id: asking.nextId() };
    // A node that does not answer has begun it, perhaps: it is asked again as long as it lives.
    const asked: { node?: string | undefined } = {};
    const answer = await asking.untilAnswered(ref, async () => {
      const where = await asking.locate(ref);
      if (where.kind === 'nobody') return this.#begin(ask, asked);
      asked.node = undefined;
      const again = { ...ask, isNew: false };
      return where.kind === 'here'
        ? toAttempt(await this.#parts.residence.answer(again))
        : asking.tryNode(where.node, again);
    });
    if (answer.kind === 'value') return;
    throw toFailureError(answer.kind === 'failed' ? answer.failure : CLUSTER_UNAVAILABLE);
  }

  /** Begins a session at this node. */
  async createHere({ ref, request }: Pick<CreateAsk, 'ref' | 'request'>): Promise<Answer> {
    const { membership, home, residence, options } = this.#parts;
    const { identity } = ref;
    const count = (home.counts.owned.get(identity) ?? 0) + membership.ownedElsewhere(identity);
    const most = options.maxSessionsPerIdentity;
    if (identity === '' || count < most) return residence.create(ref, request);
    const message = `session limit reached (${most} per identity). Delete one, or try again later`;
    return { kind: 'failed', failure: { code: 'too_many_sessions', message } };
  }

  async #begin(ask: CreateAsk, asked: { node?: string | undefined }): Promise<Attempt<Answer>> {
    const { membership } = this.#parts;
    if (asked.node !== undefined && membership.stateOf(asked.node) === 'alive') return this.#beginAt(asked.node, ask);
    let full: Attempt<Answer> | undefined;
    for (const node of membership.byRoom) {
      asked.node = node;
      const attempt = await this.#beginAt(node, ask);
      if (!isFull(attempt)) return attempt;
      full = attempt;
    }
    if (full !== undefined) return full;
    throw new TiltyardError('shutting_down', 'all nodes of the cluster are stopping, and accept no new sessions');
  }

  async #beginAt(node: string, ask: CreateAsk): Promise<Attempt<Answer>> {
    const { membership, asking } = this.#parts;
    membership.sent(node);
    const isHere = node === membership.self.id;
    const attempt = isHere ? toAttempt(await this.createHere(ask)) : await asking.tryNode(node, ask);
    // Another node has taken the id at the same moment: it is found next time.
    return attempt.kind === 'answered' && attempt.answer.kind === 'elsewhere' ? { kind: 'trouble' } : attempt;
  }
}

/** Whether a node has no room, and another one may have. */
function isFull(attempt: Attempt<Answer>): boolean {
  if (attempt.kind !== 'answered' || attempt.answer.kind !== 'failed') return false;
  const { code } = attempt.answer.failure;
  return code === 'too_many_sessions' || code === 'shutting_down' || code === 'memory_used' || code === 'no_worker';
}
