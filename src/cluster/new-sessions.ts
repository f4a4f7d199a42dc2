import { TiltyardError, toFailureError } from '../core/index.ts';
import { type CreateRequest, isNobody, type SessionOptions, type SessionRef } from '../sessions/index.ts';
import { type Asking, type Attempt, CLUSTER_UNAVAILABLE, toAttempt } from './asking.ts';
import type { HomeHost } from './home.ts';
import type { Membership } from './membership.ts';
import type { Answer, Ask } from './messages.ts';
import type { Residence } from './residence.ts';
import type { Predecessor } from './shared-journal.ts';

type CreateAsk = Extract<Ask, { op: 'create' }>;
type NewAsk = CreateAsk & { readonly after: Predecessor };

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

  /**
   * Begins a session at some node; one that is there already is asked whether it is the same. Nothing begins for a client that has left: it
   * may have begun, used and ended the same session elsewhere meanwhile.
   */
  async create(ref: SessionRef, request: CreateRequest, isWanted: () => boolean = () => true): Promise<void> {
    const { asking } = this.#parts;
    const ask: CreateAsk = { op: 'create', ref, request, id: asking.nextId() };
    // A node that does not answer has begun it, perhaps: it is asked again as long as it lives.
    const asked: { node?: string | undefined } = {};
    const answer = await asking.untilAnswered(ref, async () => {
      const where = await asking.locate(ref);
      if (where.kind === 'nobody') {
        if (!isWanted()) throw new TiltyardError(CLUSTER_UNAVAILABLE.code, 'its client has left before it could begin');
        return this.#begin({ ...ask, after: where.after }, asked);
      }
      asked.node = undefined;
      return where.kind === 'here'
        ? toAttempt(await this.#parts.residence.answer(ask))
        : asking.tryNode(where.node, ask);
    });
    if (answer.kind === 'value') return;
    throw toFailureError(answer.kind === 'failed' ? answer.failure : CLUSTER_UNAVAILABLE);
  }

  /** Begins a session at this node, after that record. */
  async createHere({ ref, request }: Pick<CreateAsk, 'ref' | 'request'>, after: Predecessor): Promise<Answer> {
    const { membership, home, residence, options } = this.#parts;
    const { identity } = ref;
    const count = (home.counts.owned.get(identity) ?? 0) + membership.ownedElsewhere(identity);
    const most = options.maxSessionsPerIdentity;
    if (isNobody(identity) || count < most) return residence.create(ref, request, after);
    const message = `session limit reached (${most} per identity). Delete one, or try again later`;
    return { kind: 'failed', failure: { code: 'too_many_sessions', message } };
  }

  async #begin(ask: NewAsk, asked: { node?: string | undefined }): Promise<Attempt<Answer>> {
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

  async #beginAt(node: string, ask: NewAsk): Promise<Attempt<Answer>> {
    const { membership, asking } = this.#parts;
    membership.sent(node);
    const isHere = node === membership.self.id;
    const attempt = isHere ? toAttempt(await this.createHere(ask, ask.after)) : await asking.tryNode(node, ask);
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
