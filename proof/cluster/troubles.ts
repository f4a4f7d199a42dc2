import { setTimeout as pause } from 'node:timers/promises';
import type { NatsServers } from '../../test/cluster/nats-servers.ts';
import type { Random } from '../random.ts';
import type { ProofNode } from './node.ts';

/** What happens to a node, or to the server of NATS that leads; or nothing, for a while. */
export type Trouble = 'kill' | 'pause' | 'cut' | 'drain' | 'nats' | 'calm';

// Some so short that nobody notices, most longer than the silence after which a node counts as dead.
const LASTS_MS = [200, 1_000, 2_500, 4_000, 6_000];
const DOWN_MS = [0, 500, 2_000];
const REST_MS = 3_000;
const CALM_MS = 20_000;

/** Brings trouble to nodes and to NATS, and ends it. */
export class Troubles {
  readonly #nats: NatsServers;
  readonly #random: Random;
  /** Those that nothing happens to at the moment. */
  readonly #calm: ProofNode[];
  readonly #counts = new Map<Trouble, number>();
  /** When processes that ran the author's code were killed. */
  readonly killedPids = new Map<number, number>();
  /** When it began, and ended, that nodes stopped, or that others may have taken them for dead. */
  readonly lapses: number[] = [];

  constructor(nodes: readonly ProofNode[], nats: NatsServers, random: Random) {
    this.#calm = [...nodes];
    this.#nats = nats;
    this.#random = random;
  }

  /** How often each of them happened. */
  get counts(): ReadonlyMap<Trouble, number> {
    return this.#counts;
  }

  /** Lets it happen, and waits until it is over. */
  async bring(trouble: Trouble): Promise<void> {
    if (trouble === 'nats') await this.#killLeader();
    else if (trouble === 'calm') await pause(CALM_MS);
    else await this.#troubleNode(trouble);
    this.#counts.set(trouble, (this.#counts.get(trouble) ?? 0) + 1);
    await pause(this.#random.below(REST_MS));
  }

  async #troubleNode(trouble: Exclude<Trouble, 'nats' | 'calm'>): Promise<void> {
    const [node] = this.#calm.splice(this.#random.below(this.#calm.length), 1);
    if (node === undefined) throw new Error('all nodes are in trouble already');
    if (trouble === 'kill') await this.#kill(node);
    else if (trouble === 'drain') await this.#drain(node);
    else if (trouble === 'cut')
      await this.#meanwhile(
        () => node.cut(),
        () => node.mend(),
      );
    else
      await this.#meanwhile(
        () => node.lives.server.kill('SIGSTOP'),
        () => node.lives.server.kill('SIGCONT'),
      );
    this.#calm.push(node);
  }

  async #kill(node: ProofNode): Promise<void> {
    const { lives } = node;
    this.killedPids.set(lives.server.pid, Date.now());
    await lives.kill();
    await pause(this.#random.pick(DOWN_MS));
    await node.begin();
  }

  async #drain(node: ProofNode): Promise<void> {
    this.lapses.push(Date.now());
    await node.lives.stop();
    this.lapses.push(Date.now());
    await node.begin();
  }

  async #meanwhile(begin: () => void, end: () => void): Promise<void> {
    this.lapses.push(Date.now());
    begin();
    await pause(this.#random.pick(LASTS_MS));
    end();
    this.lapses.push(Date.now());
  }

  async #killLeader(): Promise<void> {
    const leader = this.#nats.ports.length === 1 ? 0 : await this.#nats.leader();
    this.lapses.push(Date.now());
    this.#nats.signal(leader, 'SIGKILL');
    await pause(this.#random.pick(DOWN_MS));
    await this.#nats.restart(leader);
    this.lapses.push(Date.now());
  }
}
