import { placeOf } from '../../src/cluster/index.ts';
import type { Failure } from '../../src/core/index.ts';
import { type CallEvent, type CallRequest, keyOf, type SessionRef } from '../../src/sessions/index.ts';
import { type Random, random } from '../random.ts';
import type { Door, ServedHost, Server } from './door.ts';
import { endingText, type Findings, type RuleName } from './findings.ts';
import type { Play } from './schedule.ts';
import type { Timeline } from './timeline.ts';

/** What is asked of a server, as long as somebody waits for it. */
type Act = (host: ServedHost, isWanted: () => boolean) => Promise<unknown>;

/** The world as clients see it. */
export interface PlayerWorld {
  readonly timeline: Timeline;
  readonly door: Door;
  readonly findings: Findings;
  /** Whom the load balancer gives a new connection to; undefined if that node does not run. */
  readonly nextServer: () => Server | undefined;
}

type Settled = Extract<CallEvent, { kind: 'settled' }>;

/** How a request ended for its client. */
type Outcome<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cut' };

interface Step {
  readonly name: 'add' | 'charge' | 'pay';
  readonly n: number;
  readonly ms: number;
}

// What official clients wait out, and ours too.
const PASSING: ReadonlySet<string> = new Set([
  'journal_unavailable',
  'shutting_down',
  'no_worker',
  'too_many_sessions',
]);
const GONE: ReadonlySet<string> = new Set(['session_gone', 'session_lost', 'session_expired', 'session_not_found']);

const RETRY_MS = 60;
// Ours asks another node after so long; official ones wait for longer than any fault lasts.
const IMPATIENT_MS = 2_500;

/** A client that plays one episode to its end, whatever happens to nodes and connections meanwhile. */
export class Player {
  readonly ref: SessionRef;
  /** How far it has come, for reports. */
  stage = 'waits';
  isDone = false;
  readonly #world: PlayerWorld;
  readonly #play: Play;
  readonly #chance: Random;
  #total = 0;
  #calls = 0;

  constructor(world: PlayerWorld, play: Play, seed: number) {
    this.#world = world;
    this.#play = play;
    this.#chance = random(seed * 17 + play.at);
    this.ref = { identity: '', sid: `s${play.at}` };
  }

  /** Plays; rejects only if the simulation itself is wrong. */
  async run(): Promise<void> {
    const { calls, isLeft } = this.#play;
    if (await this.#goesOn()) {
      for (let count = 0; count < calls; count += 1) if (!(await this.#turn())) break;
      if (!isLeft) await this.#end();
    }
    this.stage = 'is done';
    this.isDone = true;
  }

  /** Begins: creates its session, and reads its prompt. */
  async #goesOn(): Promise<boolean> {
    const { contract } = this.#play;
    const { sid } = this.ref;
    this.stage = 'creates';
    const choice = { task: { episode: sid } };
    const wanted = { environment: contract, choice, secrets: {} };
    const created = await this.#ask((host, isWanted) => host.create(this.ref, wanted, isWanted));
    if (created.kind === 'failed') return this.#sessionFailed(created.failure);
    if (!this.#chance.chance(0.3)) return true;
    this.stage = 'reads its prompt';
    const prompt = await this.#ask((host) => host.prompt(this.ref));
    return prompt.kind !== 'failed' || this.#sessionFailed(prompt.failure);
  }

  /** One call, or two at once, of which one adds to the total. */
  async #turn(): Promise<boolean> {
    const { isPaired } = this.#play;
    const step = this.#anyStep();
    const beside: Step[] =
      isPaired && this.#chance.chance(0.5) ? [{ name: 'pay', n: 1, ms: this.#chance.below(100) }] : [];
    const went = await Promise.all([...beside, step].map((each) => this.#step(each)));
    return went.every((hasGone) => hasGone);
  }

  async #step(step: Step): Promise<boolean> {
    this.#calls += 1;
    const { player } = this.#play;
    const { name, n, ms } = step;
    const request = { name, input: { n, ms }, environment: this.#play.contract };
    const chosen = player === 'own' ? `c${this.#calls}` : undefined;
    this.stage = `calls ${name}, ${this.#calls}`;
    const settled = await this.#call({ ...request, taskId: chosen });
    this.#world.timeline.note(() => `${this.ref.sid} hears of ${name}: ${endingText(settled.ending)}`);
    if (!this.#judge(step, settled)) return false;
    if (this.#chance.chance(0.3)) await this.#askAgain(request, settled);
    await this.#sleep(this.#chance.below(200));
    return true;
  }

  /** Calls until it is told how that ended. Whoever knows the id asks for it; a client that does not, calls anew, as official ones do. */
  async #call(request: CallRequest): Promise<Settled> {
    for (let { taskId } = request; ; ) {
      const known = { ...request, ...(taskId !== undefined && { taskId }), input: structuredClone(request.input) };
      const { settled, announced } = await this.#exchange(known);
      taskId ??= announced;
      if (settled !== undefined && !isPassing(settled)) return settled;
      await this.#sleep(RETRY_MS);
    }
  }

  #exchange(request: CallRequest): Promise<{ readonly settled?: Settled; readonly announced?: string }> {
    const { door, findings, nextServer } = this.#world;
    const place = placeOf(keyOf(this.ref));
    let announced: string | undefined;
    return new Promise((resolve) => {
      const end = (settled?: Settled) => {
        hangUp();
        resolve({ ...(settled && { settled }), ...(announced !== undefined && { announced }) });
      };
      const server = nextServer();
      this.#world.timeline.note(() => `${this.ref.sid} calls at ${server?.life.id}: ${JSON.stringify(request)}`);
      const hangUp = door.send<CallEvent>(server, {
        act: (host, tell) =>
          void host.call(this.ref, request, (event) => {
            if (event.kind === 'settled') findings.told(place, event.taskId, event.ending);
            tell(event);
          }),
        hear: (event) => {
          if (event.kind === 'settled') end(event);
          else announced = event.taskId;
        },
        cut: () => end(),
      });
      if (this.#play.player === 'own') this.#after(IMPATIENT_MS, () => end());
    });
  }

  /** Asks once more for a call that has ended: the same bytes must come. */
  async #askAgain(request: CallRequest, { taskId, ending }: Settled): Promise<void> {
    this.stage += ', and asks again';
    const again = await this.#call({ ...request, taskId });
    const [one, other] = [endingText(ending), endingText(again.ending)];
    if (one !== other && !this.#mayBeGone(again)) this.#broke('twice', `call ${taskId}: first ${one}, then ${other}`);
  }

  #judge({ name, n }: Step, { taskId, ending }: Settled): boolean {
    if (ending.kind === 'returned') {
      // Without a contract, nobody promises that a call which was cut off has not run.
      if (name === 'pay' || this.#play.contract === 'none') return true;
      this.#total += n;
      const told = Number(/"text":\s*"(-?\d+)"/.exec(ending.json)?.[1]);
      if (told !== this.#total) this.#broke('total', `call ${taskId} says ${told}, and it should be ${this.#total}`);
      return told === this.#total;
    }
    const { failure } = ending;
    if (name === 'pay' && failure.code === 'outcome_unknown') return true;
    return this.#sessionFailed(failure);
  }

  async #end(): Promise<void> {
    this.stage = 'ends';
    const ended = await this.#ask((host) => host.end(this.ref));
    // It may have ended, and only the answer was lost.
    if (ended.kind === 'failed' && !GONE.has(ended.failure.code)) this.#sessionFailed(ended.failure);
  }

  /** Asks until there is an answer. */
  async #ask(act: Act): Promise<Outcome<unknown>> {
    for (;;) {
      const outcome = await this.#once(act);
      if (outcome.kind === 'answered') return outcome;
      if (outcome.kind === 'failed' && !PASSING.has(outcome.failure.code)) return outcome;
      await this.#sleep(RETRY_MS);
    }
  }

  #once(act: Act): Promise<Outcome<unknown>> {
    const { door, nextServer } = this.#world;
    return new Promise((resolve) => {
      const end = (outcome: Outcome<unknown>) => {
        hangUp();
        resolve(outcome);
      };
      const server = nextServer();
      this.#world.timeline.note(() => `${this.ref.sid} ${this.stage} at ${server?.life.id}`);
      const hangUp = door.send<Outcome<unknown>>(server, {
        act: (host, tell, isWanted) =>
          void act(host, isWanted).then(
            (value) => tell({ kind: 'answered', value }),
            (thrown) => tell({ kind: 'failed', failure: { code: thrown.code, message: thrown.message } }),
          ),
        hear: end,
        cut: () => end({ kind: 'cut' }),
      });
      if (this.#play.player === 'own') this.#after(IMPATIENT_MS, () => end({ kind: 'cut' }));
    });
  }

  /** Its session is not there any more, or something else is wrong; false, since it cannot go on. */
  #sessionFailed({ code, message }: Failure): false {
    const { contract } = this.#play;
    if (!GONE.has(code)) this.#broke('answer', `${this.stage}: ${code} (${message})`);
    else if (contract !== 'none' || code === 'session_not_found')
      this.#broke('lost', `${this.stage}: ${code} (${message})`);
    return false;
  }

  #mayBeGone({ ending }: Settled): boolean {
    return this.#play.contract === 'none' && ending.kind !== 'returned' && GONE.has(ending.failure.code);
  }

  #anyStep(): Step {
    const chance = this.#chance;
    const name = chance.pick(['add', 'add', 'charge', 'pay'] as const);
    return { name, n: 1 + chance.below(9), ms: chance.chance(0.4) ? chance.below(300) : 0 };
  }

  #broke(rule: RuleName, why: string): void {
    this.#world.findings.add(rule, this.ref.sid, why);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#after(ms, resolve));
  }

  #after(ms: number, run: () => void): void {
    const { timeline } = this.#world;
    timeline.at(timeline.now + ms, { run });
  }
}

/** Whether a call was refused only for now. */
function isPassing({ ending }: Settled): boolean {
  return ending.kind !== 'returned' && PASSING.has(ending.failure.code);
}
