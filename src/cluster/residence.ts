import { type Failure, TiltyardError, toFailure } from '../core/index.ts';
import { Fenced } from '../journal/index.ts';
import { type CallEvent, type CallRequest, type CreateRequest, keyOf, type SessionRef } from '../sessions/index.ts';
import type { HeldJournal } from './held-journal.ts';
import type { HomeHost } from './home.ts';
import type { Membership } from './membership.ts';
import type { Answer, Question } from './messages.ts';
import type { Predecessor } from './shared-journal.ts';

/** The session is not here, or no longer. */
export const ELSEWHERE: Answer = { kind: 'elsewhere' };

/** What is asked of a session. */
export type SessionQuestion = Extract<Question, { readonly ref: SessionRef }>;

/** The sessions that live at this node, until another one takes them: those who wait for an answer are then told that it is elsewhere. */
export class Residence {
  readonly #home: HomeHost;
  readonly #journal: HeldJournal;
  readonly #membership: Membership;
  /** Those whose session is in memory, with the time at which it was known to be this node's. */
  readonly #awake = new Map<string, number>();
  /** Those who wait for answers, by key. */
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Those that are being created: a repeated request waits for the first. */
  readonly #creating = new Map<string, Promise<unknown>>();
  /** Whether this node has stopped: nothing is brought into memory any more, since nobody would tear it down. */
  #isClosed = false;
  /** Those that this node lets go, until they are torn down: one that comes back meanwhile waits for that. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  /** Of them, those that it hands over. */
  readonly #moving = new Map<string, Promise<void>>();

  constructor(home: HomeHost, journal: HeldJournal, membership: Membership) {
    this.#home = home;
    this.#journal = journal;
    this.#membership = membership;
  }

  /** Whether this node has the session, as far as it knows. */
  has(key: string): boolean {
    return this.#journal.episodes.has(key);
  }

  /** Brings no session into memory from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Answers a question about a session of this node. Rejects if the journal cannot be reached. */
  async answer(question: SessionQuestion): Promise<Answer> {
    const { ref } = question;
    const key = keyOf(ref);
    if (!(await this.#makeReady(key))) return ELSEWHERE;
    if (question.op === 'call') return this.#nextEvent(key, ref, question.request, question.isAccepted);
    return this.#unlessLeft(key, () => this.#act(question));
  }

  /** Makes a call; resolves when it has ended, with `true`, or with `false` when its session is elsewhere. */
  async call(ref: SessionRef, request: CallRequest, on: (event: CallEvent) => void): Promise<boolean> {
    const key = keyOf(ref);
    if (!(await this.#makeReady(key))) return false;
    const answer = await this.#unlessLeft(
      key,
      (isOver) => new Promise<Answer>((resolve) => void this.#follow(key, ref, request, { on, isOver, resolve })),
    );
    return answer.kind === 'event';
  }

  /** What the home host says of a session that nobody has. */
  ofNobody(question: SessionQuestion): Promise<Answer> {
    if (question.op !== 'call') return this.#act(question);
    return new Promise((resolve) => {
      this.#home.call(question.ref, question.request, (event) => resolve({ kind: 'event', event }));
    });
  }

  /** Begins a session that nobody has, after that record: a late request finds that another one came in between. */
  create(ref: SessionRef, request: CreateRequest, after: Predecessor): Promise<Answer> {
    return this.#act({ op: 'create', ref, request, after });
  }

  /** Another node has taken over: nobody is told anything of it, and what is left of it goes. */
  leave(key: string, ref: SessionRef): void {
    this.#awake.delete(key);
    for (const stop of [...(this.#waiting.get(key) ?? [])]) stop();
    void this.#letGo(key, ref, 0);
  }

  /** Lets a session go in good order: new questions wait meanwhile, and calls may end first. `give` is called when it is at rest. */
  async move(key: string, ref: SessionRef, patienceMs: number, give: () => Promise<void>): Promise<void> {
    if (this.#moving.has(key)) return this.#moving.get(key);
    const moving = this.#letGo(key, ref, patienceMs)
      .then(give)
      .finally(() => {
        this.#awake.delete(key);
        this.#moving.delete(key);
      });
    this.#moving.set(key, moving);
    return moving;
  }

  #letGo(key: string, ref: SessionRef, patienceMs: number): Promise<void> {
    const released = this.#home.release(ref, patienceMs);
    const gone = Promise.allSettled([this.#leaving.get(key), released]).then(() => {
      if (this.#leaving.get(key) === gone) this.#leaving.delete(key);
    });
    this.#leaving.set(key, gone);
    return released;
  }

  /** Resolves when nothing of a session that has left is here any more. */
  async #gone(key: string): Promise<void> {
    // One that runs calls is still asked for them while it is handed over; but those are waited for by now.
    await this.#moving.get(key)?.catch(() => {});
    for (let leaving = this.#leaving.get(key); leaving; leaving = this.#leaving.get(key)) await leaving;
  }

  /** Brings a session into memory, and makes sure that it is still this node's. */
  async #makeReady(key: string): Promise<boolean> {
    const { generation } = this.#membership;
    await this.#gone(key);
    if (!this.has(key)) return false;
    const known = this.#awake.get(key);
    if (known === undefined && this.#isClosed) return false;
    if (known === generation) return true;
    if (known === undefined) await this.#journal.load(key);
    else await this.#journal.confirm(key);
    if (!this.has(key)) return false;
    this.#awake.set(key, generation);
    return true;
  }

  #nextEvent(key: string, ref: SessionRef, request: CallRequest, isAccepted: boolean): Promise<Answer> {
    return this.#unlessLeft(
      key,
      (isOver) =>
        new Promise<Answer>((resolve) => {
          const on = (event: CallEvent) => {
            if (event.kind === 'settled' || !isAccepted) resolve({ kind: 'event', event });
          };
          this.#follow(key, ref, request, { on, isOver, resolve });
        }),
    );
  }

  #follow(key: string, ref: SessionRef, request: CallRequest, { on, isOver, resolve }: Following): void {
    // Defaults are written into the input, and it may have to be sent to another node.
    const own = { ...request, input: structuredClone(request.input) };
    this.#home.call(ref, own, (event) => {
      if (isOver()) return;
      if (event.kind === 'settled' && this.#isUntold(key, event)) return resolve(ELSEWHERE);
      on(event);
      if (event.kind === 'settled') resolve({ kind: 'event', event });
    });
  }

  async #act(question: Exclude<SessionQuestion, { op: 'call' }>): Promise<Answer> {
    const { op, ref } = question;
    try {
      switch (op) {
        case 'create':
          return { kind: 'value', value: await this.#create(question) };
        case 'prompt':
          return { kind: 'value', value: await this.#home.prompt(ref) };
        case 'tools':
          return { kind: 'value', value: await this.#home.tools(ref) };
        case 'touch':
          return { kind: 'value', value: await this.#home.touch(ref) };
        case 'abort':
          return { kind: 'value', value: this.#home.abort(ref, question.taskId) };
        case 'end':
          return { kind: 'value', value: await this.#home.end(ref) };
      }
    } catch (thrown) {
      if (thrown instanceof Fenced) return ELSEWHERE;
      if (!(thrown instanceof TiltyardError)) throw thrown;
      const failure = toFailure(thrown);
      return this.#isPassing(keyOf(ref), failure) ? ELSEWHERE : { kind: 'failed', failure };
    }
  }

  async #create({ ref, request, after }: Extract<SessionQuestion, { op: 'create' }>): Promise<void> {
    const key = keyOf(ref);
    await this.#gone(key);
    for (let before = this.#creating.get(key); before !== undefined; before = this.#creating.get(key)) await before;
    const begin = () => this.#home.create(ref, request);
    const creating = after === undefined ? begin() : this.#journal.beginAfter(key, after, begin);
    const done = creating.catch(() => {}).finally(() => this.#creating.delete(key));
    this.#creating.set(key, done);
    await creating;
  }

  /** What is answered, unless the session leaves this node first. */
  async #unlessLeft(key: string, act: (isOver: () => boolean) => Promise<Answer>): Promise<Answer> {
    let stop: () => void = () => {};
    let isOver = false;
    const left = new Promise<Answer>((resolve) => {
      stop = () => {
        isOver = true;
        resolve(ELSEWHERE);
      };
    });
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(stop));
    try {
      return await Promise.race([act(() => isOver), left]);
    } finally {
      isOver = true;
      waiting.delete(stop);
      if (waiting.size === 0) this.#waiting.delete(key);
    }
  }

  #isUntold(key: string, { ending }: Extract<CallEvent, { kind: 'settled' }>): boolean {
    return ending.kind !== 'returned' && this.#isPassing(key, ending.failure);
  }

  /** Whether something failed only because its session leaves this node, or the journal cannot be written now: it is asked again. */
  #isPassing(key: string, { code }: Failure): boolean {
    if (code === 'journal_unavailable') return true;
    if (!OF_LEAVING.has(code)) return false;
    return this.#moving.has(key) || (this.#isStopping(key) && !(code === 'shutting_down' && this.#isAlone));
  }

  /** Whether its session ends only here, because this node stops, and others go on with it. */
  #isStopping(key: string): boolean {
    const held = this.#journal.episodes.byKey.get(key);
    return this.#membership.draining && held?.canMove === true && !held.hasEnded;
  }

  /** Whether there is nobody else to ask: then a client is told to come again. */
  get #isAlone(): boolean {
    const { isCutOff, alive, self } = this.#membership;
    return !isCutOff && alive.every(({ id }) => id === self.id);
  }
}

interface Following {
  readonly on: (event: CallEvent) => void;
  readonly isOver: () => boolean;
  readonly resolve: (answer: Answer) => void;
}

const OF_LEAVING: ReadonlySet<string> = new Set(['session_gone', 'session_not_found', 'shutting_down']);
