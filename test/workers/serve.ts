import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Client, connect, connectOxp, type OxpClient, type Session } from 'tiltyard/client';
import { createServer, type HostEvent, type Server, type ServerOptions } from 'tiltyard/server';
import { onTestFinished } from 'vitest';
import { QUICK } from '../support/client.ts';

/** The module that the tests of workers serve. */
export const MODULE: string = fileURLToPath(new URL('./module.ts', import.meta.url));

/** A server with workers, and what a test needs of it. */
export interface Served {
  readonly server: Server;
  readonly url: string;
  readonly client: Client;
  readonly oxp: OxpClient;
  /** What its observer heard. */
  readonly events: readonly HostEvent[];
  /** The lines of its log. */
  readonly lines: readonly Record<string, unknown>[];
  session(task?: object): Promise<Session>;
  /** Resolves when its log has so many lines that fit, however long that takes. */
  untilLogged(message: RegExp, count?: number): Promise<void>;
}

/** Serves the module with workers until the test ends. */
export async function serve(options: Partial<ServerOptions> & { readonly count?: number } = {}): Promise<Served> {
  const { count = 2, limits, ...others } = options;
  const events: HostEvent[] = [];
  const lines: Record<string, unknown>[] = [];
  const logged = new EventEmitter();
  const write = (line: string) => {
    lines.push(JSON.parse(line));
    logged.emit('line');
  };
  const server = await createServer({
    workers: { modules: [MODULE], count },
    limits: { graceMs: 200, drainMs: 0, ...limits },
    sessions: { observer: { on: (event) => void events.push(event) } },
    logger: { level: 'info', stream: { write } },
    ...others,
  });
  onTestFinished(() => server.close());
  const url = await server.listen();
  const client = connect(url, { apiKey: '', retry: QUICK, pingMs: 60_000 });
  return {
    server,
    url,
    client,
    oxp: connectOxp(url, { retry: QUICK }),
    events,
    lines,
    async session(task = {}) {
      const session = await client.session({ task: { id: 1, ...task } });
      // Some are lost before that.
      onTestFinished(() => session.close().catch(() => {}));
      return session;
    },
    async untilLogged(message, count = 1) {
      const fitting = () => lines.filter(({ msg }) => message.test(String(msg))).length;
      while (fitting() < count) await once(logged, 'line');
    },
  };
}

/** In which process a session's code runs. */
export async function pidOf(session: Session): Promise<number> {
  return Number((await session.call('pid')).text);
}

/** Sessions in different workers, one in each. */
export async function sessionsApart({ session }: Served, count = 2): Promise<Session[]> {
  return Promise.all(Array.from({ length: count }, () => session()));
}

/** Whether a process is there; one that has ended and that nobody has asked for yet is not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** What happens to sessions. */
export function endsOf(events: readonly HostEvent[]): object[] {
  return events.filter((event) => event.type === 'session_ended');
}
