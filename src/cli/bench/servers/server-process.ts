// The process in which `tiltyard bench` serves a module: it has a core of its own, and nothing else to do.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createServer, type Server } from '../../../server/index.ts';
import { surviveStrayErrors } from '../../../sessions/index.ts';
import { describe } from '../../shared/describe-failure.ts';
import { loadModules } from '../../shared/load-modules.ts';
import { StrayErrors } from '../../shared/stray-errors.ts';
import { processTerminal } from '../../shared/terminal.ts';
import { startOrphanGuard } from './orphan-guard.ts';

/** What the process says. */
export type FromServer =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'usage'; readonly usage: ProcessUsage }
  | { readonly kind: 'alive' };

/** What the process is asked: what it has used, the lag since this was asked last included; or whether it answers at all. */
export type ToServer = 'usage' | 'ping';

/** What a process knows of itself. */
export interface ProcessUsage {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly lagMs: { readonly mean: number; readonly p99: number; readonly max: number };
}

const CLOSE_MS = 10_000;
const RESOLUTION_MS = 10;

const send = (message: FromServer) => void process.send?.(message);

let server: Server | undefined;
const noticeEnd = startOrphanGuard(2 * CLOSE_MS);

// Ctrl-C reaches the whole group: the bench ends its sessions first, and then this process by letting go of it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.once('disconnect', () => {
  noticeEnd();
  // Teardowns may hang, and nobody is left to notice.
  setTimeout(() => process.exit(1), CLOSE_MS).unref();
  void Promise.resolve(server?.close()).finally(() => process.exit());
});

try {
  const loaded = await loadModules(process.argv.slice(2));
  server = await createServer({ ...loaded, logger: false });
  surviveStrayErrors(new StrayErrors().log);
  const url = await server.listen();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on('message', (asked: ToServer) => {
    send(asked === 'usage' ? { kind: 'usage', usage: readUsage(delay) } : { kind: 'alive' });
  });
  send({ kind: 'listening', url });
} catch (thrown) {
  send({ kind: 'failed', message: describe(thrown, processTerminal().noteColors) });
  process.disconnect?.();
}

function readUsage(delay: ReturnType<typeof monitorEventLoopDelay>): ProcessUsage {
  const { user, system } = process.cpuUsage();
  // The monitor's own timer counts as a delay of its length; what is above it is the lag.
  const ms = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) : 0;
  const lagMs = { mean: ms(delay.mean), p99: ms(delay.percentile(99)), max: ms(delay.max) };
  delay.reset();
  return { cpuMs: (user + system) / 1000, memoryBytes: process.memoryUsage.rss(), lagMs };
}
