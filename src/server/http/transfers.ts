import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Failure, Log } from '../../core/index.ts';
import type { MemoryBudget } from '../../sessions/index.ts';
import type { MemoryNumbers } from '../observe/memory-metrics.ts';
import { Disconnects } from './disconnects.ts';

// A client that has moved nothing for so long may be cut off when its memory is needed. Slower networks move something.
const STALLED_MS = 5_000;

/**
 * Large bodies and answers under way: what clients send and read at their own speed takes memory as long as they like. When
 * there is no more, the connections of those that have stalled are closed; the result of a call is still kept for a client
 * that comes back.
 */
export class Transfers {
  readonly memory: MemoryBudget;
  readonly #log: Log;
  #cutCount = 0;
  readonly #disconnects = new Disconnects();
  /** The one that has not moved for longest comes first. */
  readonly #open = new Set<Transfer>();

  constructor(memory: MemoryBudget, log: Log) {
    this.memory = memory;
    this.#log = log;
    memory.reclaimBy((identity) => this.#cutStalled(identity));
  }

  /** For metrics. */
  get numbers(): MemoryNumbers {
    const { bytes, limit } = this.memory;
    return { bytes, limit, cutCount: this.#cutCount };
  }

  /** Begins to count what an exchange holds, until its answer is out or its connection has closed. */
  begin(response: ServerResponse, identity: string): Transfer {
    const { socket } = response.req;
    const transfer: Transfer = new Transfer(this, socket, identity);
    this.#open.add(transfer);
    const unwatch = this.#disconnects.watch(socket, () => this.#end(transfer));
    response.once('finish', () => {
      unwatch();
      this.#end(transfer);
    });
    return transfer;
  }

  /** Counts a small answer that waits behind others on its connection: a client can ask for many of them and read none. */
  countQueued(response: ServerResponse, identity: string, bytes: number): void {
    this.begin(response, identity).add(bytes);
  }

  /** Whether it is still counted: its client may have left while its answer was made. */
  isOpen(transfer: Transfer): boolean {
    return this.#open.has(transfer);
  }

  /** Notes that a transfer goes on. */
  moved(transfer: Transfer): void {
    if (!this.#open.delete(transfer)) return;
    transfer.movedAt = performance.now();
    this.#open.add(transfer);
  }

  /** Makes room for what is there already, at the cost of the same client's other transfers, the slowest first. */
  makeRoom(transfer: Transfer): void {
    const { identity } = transfer;
    for (const other of this.#open) {
      if (this.memory.excess(identity) === 0) return;
      if (other !== transfer && other.identity === identity && other.bytes > 0) this.#cut(other);
    }
  }

  #cutStalled(identity: string | undefined): boolean {
    const now = performance.now();
    for (const transfer of this.#open) {
      if (now - transfer.movedAt < STALLED_MS) return false;
      if (transfer.bytes === 0 || (identity !== undefined && transfer.identity !== identity)) continue;
      this.#cut(transfer);
      return true;
    }
    return false;
  }

  #cut(transfer: Transfer): void {
    const { identity, bytes, socket } = transfer;
    this.#cutCount += 1;
    this.#log.warn(
      { identity, bytes, remoteAddress: socket.remoteAddress },
      'closed a stalled connection to free memory',
    );
    // Its memory is free at once, and not when the connection has told that it is closed.
    this.#end(transfer);
    transfer.onCut?.();
    socket.destroy();
  }

  #end(transfer: Transfer): void {
    if (this.#open.delete(transfer)) this.memory.giveBack(transfer.identity, transfer.bytes);
  }
}

/** What one exchange holds while it is under way. */
export class Transfer {
  readonly socket: Socket;
  readonly identity: string;
  bytes = 0;
  /** Lets go of what it holds: a connection takes a while to close. */
  onCut: (() => void) | undefined;
  movedAt: number = performance.now();
  readonly #all: Transfers;

  constructor(all: Transfers, socket: Socket, identity: string) {
    this.#all = all;
    this.socket = socket;
    this.identity = identity;
  }

  /** Notes that it goes on. */
  moved(): void {
    this.#all.moved(this);
  }

  /** Takes memory for what comes or goes; or says why there is none. */
  take(bytes: number): Failure | undefined {
    // Nobody would give it back.
    if (!this.#all.isOpen(this)) return undefined;
    this.moved();
    const refusal = this.#all.memory.take(this.identity, bytes);
    if (refusal === undefined) this.bytes += bytes;
    return refusal;
  }

  /** Takes memory for what is there already, and must be sent. */
  add(bytes: number): void {
    if (!this.#all.isOpen(this)) return;
    this.#all.memory.add(this.identity, bytes);
    this.bytes += bytes;
    this.#all.makeRoom(this);
  }
}
