import { placeOf } from '../../src/cluster/index.ts';
import { keyOf } from '../../src/sessions/index.ts';
import type { Violation } from '../chaos/model.ts';
import { random } from '../random.ts';
import { Arena } from './arena.ts';
import { borrowTime } from './borrowed-time.ts';
import { Door, type Server } from './door.ts';
import { FakeBus } from './fake-bus.ts';
import { FakeJournal } from './fake-journal.ts';
import { Findings } from './findings.ts';
import { Life } from './life.ts';
import { Links } from './links.ts';
import { OPTIONS, startNode } from './node.ts';
import { Player } from './player.ts';
import type { Sabotage } from './sabotage.ts';
import type { Fault, Schedule } from './schedule.ts';
import { Timeline } from './timeline.ts';

/** What came of a schedule. */
export interface Simulated {
  readonly violations: readonly Violation[];
  /** The same for the same history. */
  readonly digest: number;
  /** How many things happened. */
  readonly events: number;
  /** How much virtual time passed. */
  readonly ms: number;
}

// Once all faults are over.
const RECOVERY_MS = 60_000;
const AFTERMATH_MS = 2 * OPTIONS.idleMs + 20_000;
const MOST_EVENTS = 200_000;

// For how long a node that stops closes its connections.
const CLOSING_MS = 200;

/** Plays schedules, one at a time. */
export class Simulator {
  readonly #arena = new Arena();
  readonly #sabotage: Sabotage;

  constructor(sabotage: Sabotage = {}) {
    this.#sabotage = sabotage;
  }

  /** Plays a schedule: the same seed and schedule always give the same history. `onNote` hears it, line by line. */
  async play(seed: number, schedule: Schedule, onNote?: (line: string) => void): Promise<Simulated> {
    const timeline = new Timeline(onNote);
    using _ = borrowTime(timeline);
    Object.assign(this.#arena, { timeline, deeds: [] });
    const world = new World(timeline, seed, { arena: this.#arena, sabotage: this.#sabotage });
    await world.play(schedule);
    const { violations } = world.findings;
    return { violations, digest: timeline.digest, events: timeline.count, ms: timeline.now };
  }
}

interface WorldParts {
  readonly arena: Arena;
  readonly sabotage: Sabotage;
}

/** Nodes, clients and what goes wrong between them, for one schedule. */
class World {
  readonly timeline: Timeline;
  readonly findings = new Findings();
  readonly door: Door;
  readonly #parts: WorldParts;
  readonly #seed: number;
  readonly #links: Links;
  readonly #bus: FakeBus;
  readonly #journal: FakeJournal;
  readonly #servers: (Server | undefined)[] = [];
  #players: Player[] = [];
  #turn = 0;
  #boots = 0;

  constructor(timeline: Timeline, seed: number, parts: WorldParts) {
    this.timeline = timeline;
    this.#seed = seed;
    this.#parts = parts;
    parts.arena.onCharge = (sid, run) => this.findings.ran(placeOf(keyOf({ identity: '', sid })), run);
    this.door = new Door(timeline, random(seed + 1));
    this.#links = new Links(timeline, seed);
    this.#bus = new FakeBus(this.#links);
    this.#journal = new FakeJournal(this.#links, (stored, before) => this.findings.stored(stored, before));
  }

  readonly nextServer = (): Server | undefined => {
    this.#turn += 1;
    return this.#servers[this.#turn % this.#servers.length];
  };

  async play({ nodes, plays, faults }: Schedule): Promise<void> {
    const { timeline } = this;
    for (let node = 0; node < nodes; node += 1) this.#boot(node);
    this.#players = plays.map((play) => this.#enter(play));
    for (const fault of faults) timeline.at(fault.at, { run: () => this.#strike(fault) });
    const end = Math.max(0, ...faults.map(({ at, forMs }) => at + forMs), ...plays.map(({ at }) => at));
    const isDone = () => this.#players.every((player) => player.isDone);
    const isOver = (at: number) => timeline.now > at || timeline.count > MOST_EVENTS;
    await timeline.passUntil(() => isDone() || isOver(end + RECOVERY_MS));
    for (const { isDone, ref, stage } of this.#players) if (!isDone) this.findings.add('stuck', ref.sid, `it ${stage}`);
    this.#checkPayments();
    this.#checkTwins();
    // Waiting until everything has expired takes long: not each schedule does it.
    if (this.findings.violations.length > 0 || !(plays.some(({ isLeft }) => isLeft) || this.#seed % 64 === 0)) return;
    const until = timeline.now + AFTERMATH_MS;
    await timeline.passUntil(() => isOver(until));
    this.#checkLeftovers();
  }

  #enter(play: Schedule['plays'][number]): Player {
    const player = new Player(this, play, this.#seed);
    this.timeline.at(play.at, { run: () => void player.run() });
    return player;
  }

  #boot(node: number): void {
    const { timeline } = this;
    const { arena, sabotage } = this.#parts;
    this.#boots += 1;
    const life = new Life(timeline, node, `n${node}-${this.#boots}`, random(this.#seed * 13 + this.#boots));
    const own = this.#journal.of(life);
    const start = () => {
      const bus = this.#bus.of(life);
      const journal = sabotage.journal?.(own) ?? own;
      const server = { life, host: startNode({ life, bus, journal, catalog: arena.catalog }) };
      this.#servers[node] = sabotage.server?.(server) ?? server;
    };
    this.#servers[node] = undefined;
    timeline.at(timeline.now + 1, { life, run: start });
  }

  #strike({ kind, node = 0, forMs }: Fault): void {
    const { timeline } = this;
    const until = timeline.now + forMs;
    const mode = kind.endsWith('-late') ? 'hold' : 'lose';
    const server = this.#servers[node];
    timeline.note(() => `${kind} of ${server?.life.id} for ${forMs} ms`);
    switch (kind) {
      case 'noise':
        return this.#links.disturb(until);
      case 'leaderless':
        for (const each of this.#servers.keys()) this.#links.cut(each, 'journal', { until, mode });
        return;
      case 'pause':
        server?.life.pause();
        return void timeline.at(until, { run: () => server?.life.resume() });
      case 'crash':
        server?.life.end();
        return void timeline.at(until, { run: () => this.#bootAgain(node) });
      case 'drain':
        return void (server?.life.state === 'running' && this.#drain(server, forMs));
      default:
        if (!kind.startsWith('journal')) this.#links.cut(node, 'bus', { until, mode });
        if (!kind.startsWith('bus')) this.#links.cut(node, 'journal', { until, mode });
    }
  }

  /** As SIGTERM does it: hands over, answers what is open, leaves. */
  #drain({ life, host }: Server, awayMs: number): void {
    const { timeline } = this;
    const stop = async () => {
      await host.drain();
      // Connections are closed first, and what is asked meanwhile is still answered.
      await new Promise((resolve) => setTimeout(resolve, CLOSING_MS));
      host.close();
      life.soon(() => {
        life.hasStopped = true;
        life.end();
        timeline.at(timeline.now + awayMs, { run: () => this.#bootAgain(life.node) });
      });
    };
    timeline.at(timeline.now, { life, run: () => void stop() });
  }

  #bootAgain(node: number): void {
    if (this.#servers[node]?.life.state === 'dead') this.#boot(node);
  }

  #checkPayments(): void {
    const paid = new Set<string>();
    for (const { what, episode, call } of this.#parts.arena.deeds) {
      if (what !== 'pay') continue;
      const key = `${episode} ${call}`;
      if (paid.has(key)) this.findings.add('external', episode, `call ${call} ran again`);
      paid.add(key);
    }
  }

  #checkTwins(): void {
    const there = new Map<string, number>();
    for (const { what, episode, life } of this.#parts.arena.deeds) {
      if (what === 'pay') continue;
      const key = `${episode} at ${life.id}`;
      const count = (there.get(key) ?? 0) + (what === 'setup' ? 1 : -1);
      if (count > 1) this.findings.add('twin', key, 'it is there twice at the same time');
      there.set(key, count);
    }
  }

  #checkLeftovers(): void {
    const open = new Map<string, number>();
    for (const { what, episode, life } of this.#parts.arena.deeds) {
      if (what === 'pay' || (life.state === 'dead' && !life.hasStopped)) continue;
      const key = `${episode} at ${life.id}`;
      open.set(key, (open.get(key) ?? 0) + (what === 'setup' ? 1 : -1));
    }
    for (const [key, count] of open)
      if (count !== 0) this.findings.add('orphan', key, `${count} more setups than teardowns`);
    for (const { place, type, node } of this.#journal.lasts)
      if (type !== 'close') this.findings.add('orphan', place, `its last record is ${type} of ${node}`);
  }
}
