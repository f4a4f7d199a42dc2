import { type ConnectOptions, connect, type Session } from 'tiltyard/client';
import { onTestFinished } from 'vitest';
import { QUICK } from './client.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';

/** A client on a line of its own that breaks where the test says. */
export class CutLine {
  readonly proxy: CuttingProxy;
  readonly url: string;
  readonly #planned: Map<number, number>;

  private constructor(proxy: CuttingProxy, planned: Map<number, number>) {
    this.proxy = proxy;
    this.url = `http://127.0.0.1:${proxy.port}`;
    this.#planned = planned;
  }

  /** Opens a line to a server. */
  static async open(server: { readonly url: string }): Promise<CutLine> {
    const planned = new Map<number, number>();
    const proxy = await startCuttingProxy(Number(new URL(server.url).port), {
      cutAfter: (connection) => planned.get(connection),
    });
    onTestFinished(() => proxy.close());
    return new CutLine(proxy, planned);
  }

  /** Cuts the connections from here on: the next one after so many bytes of its answer, then the one after it, ... */
  cutNext(...offsets: readonly (number | undefined)[]): void {
    for (const [ahead, offset] of offsets.entries()) {
      if (offset !== undefined) this.#planned.set(this.proxy.connections + ahead, offset);
    }
  }

  /** Options with which every request has a connection of its own, so that the next request is the next connection. */
  static readonly options: ConnectOptions = {
    apiKey: '',
    headers: { connection: 'close' },
    pingMs: 60_000,
    retry: QUICK,
  };

  /** A session over this line. */
  async session(environment: string): Promise<Session> {
    const session = await connect(this.url, { ...CutLine.options, environment }).session({ split: 'train', index: 0 });
    onTestFinished(() => session.close());
    return session;
  }
}
