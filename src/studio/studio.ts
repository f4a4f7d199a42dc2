import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { version } from '../version.ts';
import type { StudioInfo } from './api.ts';
import { studioApp } from './http/app.ts';
import { Gate } from './http/gate.ts';
import { servePage } from './http/page.ts';
import { serveRoutes } from './http/routes.ts';
import { serveStream } from './http/stream.ts';
import { type BenchReport, Jobs } from './jobs/jobs.ts';
import { jobRoutes } from './jobs/routes.ts';
import type { Bench } from './jobs/work.ts';
import { LiveFeeds } from './live/live-feeds.ts';
import { Plays } from './plays/plays.ts';
import { playRoutes } from './plays/routes.ts';
import { RecordLibrary } from './runs/record-library.ts';
import { runRoutes } from './runs/routes.ts';
import { RunLibrary } from './runs/run-library.ts';
import { targetRoutes } from './targets/routes.ts';
import type { TargetOptions } from './targets/target-link.ts';
import { Targets } from './targets/targets.ts';
import { topicFinder } from './topics.ts';

/** What the studio shows, and where. */
export interface StudioOptions {
  /** Servers to talk to; more can be added in the page. */
  readonly targets?: readonly TargetOptions[];
  /** Folders of runs, or folders with such folders in them. */
  readonly runs?: readonly string[];
  /** Records, or folders of records. */
  readonly records?: readonly string[];
  readonly reports?: readonly BenchReport[];
  readonly bench?: Bench | undefined;
  /** What is shown of the message of an environment's exception, which may hold a stack. Default: all of it. */
  readonly toMessage?: ((message: string) => string) | undefined;
  /** Default: this machine only. */
  readonly host?: string;
  /** The first port to try; 0 for any. If it is taken, one of the next is used. Default: 8090. */
  readonly port?: number;
  /** More names under which the studio may be opened. */
  readonly allowHosts?: readonly string[];
  /** Where the page is built. Default: where the build puts it. */
  readonly page?: string;
}

/** A studio that runs. */
export interface Studio extends AsyncDisposable {
  /** The address to open: it has the token of this launch in it. */
  readonly url: string;
  /** The same without the token. */
  readonly origin: string;
  /** An address that lets in once: for the command line of a browser, which others on this machine can read. */
  ticketUrl(): string;
  /** Adds a server that came up later. */
  addTarget(options: TargetOptions): void;
  close(): Promise<void>;
}

const DEFAULT_PORT = 8090;
const MOST_PORTS = 100;

/** Starts the studio. */
export async function startStudio(options: StudioOptions = {}): Promise<Studio> {
  const { host = '127.0.0.1', port = DEFAULT_PORT, allowHosts = [] } = options;
  const targets = new Targets(options.toMessage);
  const plays = new Plays();
  const feeds = new LiveFeeds();
  const runs = new RunLibrary(options.runs ?? []);
  const records = new RecordLibrary(options.records ?? []);
  const jobs = new Jobs(options.bench, options.reports);
  const gate = new Gate([host, ...allowHosts]);
  const app = studioApp(gate, options.toMessage);
  targets.removals.add((link) => {
    feeds.remove(link);
    void plays.end(link);
  });
  const info = (): StudioInfo => ({
    version,
    opened: openedWith(options),
    targets: targets.list(),
    runs: runs.folders().size,
    records: records.count,
  });
  app.post('/api/enter', { config: { openTo: 'own page' } }, async (request, reply) => {
    const { token } = (request.body ?? {}) as { readonly token?: unknown };
    reply.header('set-cookie', gate.enter(typeof token === 'string' ? token : ''));
    return info();
  });
  serveRoutes(app, { 'GET /api/studio': info });
  serveRoutes(app, targetRoutes(targets, feeds));
  serveRoutes(app, playRoutes(plays, targets));
  serveRoutes(app, runRoutes(runs, records));
  serveRoutes(app, jobRoutes(jobs, targets));
  serveStream(app, topicFinder({ targets, feeds, plays, runs, jobs }));
  servePage(app, options.page);
  await listen(app, host, port);
  const { port: taken } = app.server.address() as AddressInfo;
  gate.listensOn(taken);
  for (const target of options.targets ?? []) targets.add(target);
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      targets.close();
      runs.close();
      feeds.close();
      await Promise.all([plays.end(), jobs.close(), app.close()]);
    })();
    return closing;
  };
  return {
    origin,
    url: `${origin}/#token=${gate.token}`,
    ticketUrl: () => `${origin}/#token=${gate.newTicket()}`,
    addTarget: (target) => void targets.add(target),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Listens on the first free port. */
async function listen(app: FastifyInstance, host: string, first: number): Promise<void> {
  for (let port = first; ; port += 1) {
    try {
      await app.listen({ host, port });
      return;
    } catch (thrown) {
      const isTaken = (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || first === 0 || port + 1 >= first + MOST_PORTS) throw thrown;
    }
  }
}

function openedWith({ targets = [], runs = [], records = [], reports = [] }: StudioOptions): StudioInfo['opened'] {
  if (targets.length > 0) return 'targets';
  if (runs.length > 0) return 'runs';
  if (records.length > 0) return 'records';
  return reports.length > 0 ? 'jobs' : 'targets';
}
