import { setTimeout as pause } from 'node:timers/promises';
import { type Attempt, toAnswer } from './answers.ts';
import { type ChosenCall, chooseCall, chooseTask } from './choices.ts';
import type { Stage } from './client-actor.ts';
import { type Manners, toPost, transmit } from './wire.ts';

/** Plays one episode with bare sockets: badly, and in ways that no client of ours would. */
export async function playRaw(stage: Stage, episode: string): Promise<void> {
  const { random, history, port } = stage;
  const player = new RawPlayer(stage, episode, episode);
  if (!(await player.create())) return;
  const moves = 1 + random.below(7);
  for (let number = 0; number < moves; number += 1) await player.move(`${episode}.${number}`);
  if (random.chance(0.3)) return;
  // Deleting while calls run and others delete as well.
  const last = random.chance(0.5) ? player.move(`${episode}.last`) : Promise.resolve();
  const deletions = Array.from({ length: 1 + random.below(2) }, () => player.delete());
  await Promise.all([last, ...deletions]);
  await player.call(chooseCall(random, `${episode}.late`, 'quick'), 'first');
  // The same session id, and another episode; a request that may still be under way would reach the wrong one.
  if (random.chance(0.3) && !player.hasLooseEnds) {
    const again = new RawPlayer(stage, episode, `${episode}-again`);
    if (await again.create()) await again.move(`${episode}-again.0`);
  }
  if (random.chance(0.1)) await history.within(episode, 'a ping', transmit(port, toPost('/ping', episode, {})));
}

// A setup may hang for ever.
const PATIENCE_MS = 3_000;

class RawPlayer {
  readonly #stage: Stage;
  readonly #sid: string;
  readonly #episode: string;
  /** Calls that were sent with an id, to be repeated later. */
  readonly #sent: ChosenCall[] = [];
  /** Whether it left a call behind without having seen its answer. */
  hasLooseEnds = false;

  constructor(stage: Stage, sid: string, episode: string) {
    this.#stage = stage;
    this.#sid = sid;
    this.#episode = episode;
  }

  /** Creates the episode, sometimes twice at once; false if nobody said that there is one. */
  async create(): Promise<boolean> {
    const { random, history } = this.#stage;
    const bytes = toPost('/create', this.#sid, { env_name: 'chaos', task_spec: chooseTask(random, this.#episode) });
    const [first, second] = await Promise.all([
      this.#transmit(bytes, 'a creation'),
      random.chance(0.1) ? this.#transmit(bytes, 'a second creation') : [],
    ]);
    const statuses = [...first, ...second].filter(({ isWhole }) => isWhole).map(({ status }) => status);
    if (statuses.filter((status) => status === 200).length > 1)
      history.tell(this.#episode, { what: 'fault', why: 'one session was created twice' });
    if (statuses.includes(200)) history.tell(this.#episode, { what: 'created' });
    else if (statuses.length > 0 && !statuses.includes(400)) history.tell(this.#episode, { what: 'not created' });
    return statuses.includes(200);
  }

  async delete(): Promise<void> {
    const [answer] = await this.#transmit(toPost('/delete', this.#sid, {}), 'a deletion');
    if (answer?.status === 200) this.#stage.history.tell(this.#episode, { what: 'deleted' });
  }

  /** Does one of the things that go wrong. */
  async move(token: string): Promise<void> {
    const { random } = this.#stage;
    const moves = [
      () => this.call(chooseCall(random, token), 'first'),
      () => this.call(chooseCall(random, token), 'first', { pieces: 2 + random.below(4), pauseMs: random.below(30) }),
      () => this.call(chooseCall(random, token, 'big'), 'first', { readPauseMs: random.below(300) }),
      () =>
        this.call(chooseCall(random, token, 'big'), 'first', { readPauseMs: 5_000, leaveAfterMs: random.below(100) }),
      () => this.#cutAndRepeat(token),
      () => this.#cutAndRepeat(token),
      () => this.#together(token),
      () => this.#incomplete(token),
      () => this.#pipelined(token),
      () => this.#repeatOld(),
    ];
    await random.pick(moves)();
  }

  /** Sends a call and notes what came of it. */
  async call(chosen: ChosenCall, attempt: Attempt, manners: Manners = {}): Promise<void> {
    const { token, tool } = chosen;
    this.#sent.push(chosen);
    await this.#stage.history.call(this.#episode, { token, tool }, async () => {
      const [answer] = await transmit(this.#port, this.#toBytes(chosen), { leaveAfterMs: PATIENCE_MS, ...manners });
      this.hasLooseEnds ||= answer?.isWhole !== true;
      return toAnswer(answer, attempt);
    });
  }

  async #cutAndRepeat(token: string): Promise<void> {
    const { random } = this.#stage;
    const chosen = chooseCall(random, token);
    await this.call(chosen, 'repeat', { leaveAfterMs: random.below(20) });
    if (random.chance(0.5)) await pause(random.below(100));
    await this.call(chosen, 'repeat');
  }

  async #together(token: string): Promise<void> {
    const chosen = chooseCall(this.#stage.random, token);
    await Promise.all([1, 2, 3].map(() => this.call(chosen, 'repeat')));
  }

  /** A request of which the last bytes never come: what it asks for must not be done. */
  async #incomplete(token: string): Promise<void> {
    const { random, history } = this.#stage;
    const bytes = this.#toBytes(chooseCall(random, token, 'quick'));
    const part = bytes.subarray(0, random.below(bytes.length));
    await history.call(this.#episode, { token, tool: 'quick' }, async () => {
      await transmit(this.#port, part, { leaveAfterMs: random.below(30) });
      return { kind: 'refused', why: 'it was not sent to its end' };
    });
  }

  /** Several calls in one write: they must run in this order. */
  async #pipelined(token: string): Promise<void> {
    const { random, history, port } = this.#stage;
    const tool = random.pick(['quick', 'slow']);
    const calls = Array.from({ length: 2 + random.below(4) }, (_, index) => ({
      token: `${token}.${index}`,
      tool,
      input: { token: `${token}.${index}`, ms: random.below(20) },
    }));
    const bytes = calls.map((call, index) => this.#toBytes(call, index === calls.length - 1 ? 'close' : 'keep-alive'));
    const answers = transmit(port, Buffer.concat(bytes), { leaveAfterMs: PATIENCE_MS });
    await Promise.all(
      calls.map((call, index) =>
        history.call(this.#episode, { token: call.token, tool, batch: token }, async () => {
          const answer = (await answers)[index];
          this.hasLooseEnds ||= answer?.isWhole !== true;
          return toAnswer(answer, 'first');
        }),
      ),
    );
  }

  async #repeatOld(): Promise<void> {
    const old = this.#sent[this.#stage.random.below(this.#sent.length)];
    if (old !== undefined) await this.call(old, 'repeat');
  }

  get #port(): number {
    return this.#stage.random.chance(0.5) ? this.#stage.port : this.#stage.cuttingPort;
  }

  #toBytes({ token, tool, input }: ChosenCall, connection: 'close' | 'keep-alive' = 'close'): Buffer {
    return toPost('/chaos/call', this.#sid, { name: tool, input, task_id: token }, connection);
  }

  async #transmit(bytes: Buffer, what: string) {
    const { history, port } = this.#stage;
    return (await history.within(this.#episode, what, transmit(port, bytes))) ?? [];
  }
}
