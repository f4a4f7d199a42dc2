import { type HaltingProxy, startHaltingProxy } from '../../test/support/halting-proxy.ts';
import { Lives, type Program } from '../chaos/lives.ts';
import type { ServerLog } from '../chaos/server-log.ts';

// A node that finds no leader of NATS while it starts ends, and whoever runs it starts it again.
const STARTS = 10;

/** A node of the cluster, in one process after the other, with lines to NATS that can be cut. */
export class ProofNode implements AsyncDisposable {
  readonly lives: Lives;
  readonly #lines: readonly HaltingProxy[];

  private constructor(lives: Lives, lines: readonly HaltingProxy[]) {
    this.lives = lives;
    this.#lines = lines;
  }

  /** Starts a node; `ports` are those of NATS. */
  static async start({ program, log, ports, name }: ProofNodeParts): Promise<ProofNode> {
    const lines = await Promise.all(ports.map((port) => startHaltingProxy(port)));
    const nats = lines.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
    const node = new ProofNode(new Lives({ ...program, env: { ...program.env, NATS: nats, NODE: name } }, log), lines);
    await node.begin();
    return node;
  }

  /** Starts its next process. */
  async begin(): Promise<void> {
    for (let left = STARTS - 1; ; left -= 1) {
      try {
        return await this.lives.begin();
      } catch (thrown) {
        if (left === 0) throw thrown;
      }
    }
  }

  /** Nothing passes between it and NATS, and neither is told. */
  cut(): void {
    for (const line of this.#lines) line.halt();
  }

  /** It can reach NATS again. */
  mend(): void {
    for (const line of this.#lines) line.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.lives[Symbol.dispose]();
    for (const line of this.#lines) await line[Symbol.asyncDispose]();
  }
}

/** What a node is started with. */
interface ProofNodeParts {
  readonly program: Program;
  readonly log: ServerLog;
  readonly ports: readonly number[];
  readonly name: string;
}
