import { fileURLToPath } from 'node:url';
import { hasMcp } from '../../mcp/index.ts';
import { createServer, type Server } from '../../server/index.ts';
import { LOADER } from '../shared/loader.ts';
import { isAuthors } from '../shared/location.ts';
import { assertModule } from '../shared/module-path.ts';
import { type ModuleProblem, toProblem } from '../shared/module-problem.ts';
import { type Order, type Report, type VersionPlan, WATCHDOG_FD } from './messages.ts';

// One version of the author's code in a process of its own, since a module that was imported cannot be unloaded.

// Somebody waits for the next version: less patience than a server that stops for good.
const GRACE_MS = 1_000;
const CLOSE_MS = 500;

let server: Server | undefined;
let closing = false;

// The terminal sends its signals to this process as well; the command decides what they mean.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => void close());
process.on('message', (order: Order) => {
  if (order.kind === 'load') void load(order.plan);
  else if (order.kind === 'listen') void listen(order.port, order.host);
  else void close();
});

async function load({ modules, auth, web, logLevel }: VersionPlan): Promise<void> {
  try {
    modules.forEach(assertModule);
    server = await createServer({
      // One is enough to try things out, and a tool that exits or loops for ever does not end what answers.
      workers: { modules, count: 1, loader: LOADER, onImport: reportImport },
      ...web,
      auth,
      returnErrors: 'stacktrace',
      limits: { drainMs: 0, graceMs: GRACE_MS, closeMs: CLOSE_MS },
      logger: { level: logLevel, stream: { write: (line) => report({ kind: 'log', line }) } },
      watchdog: { fd: WATCHDOG_FD },
      // Somebody who develops wants to see what happens.
      events: true,
      // For a coding agent beside the editor, where its package is there.
      mcp: hasMcp(),
    });
    report({ kind: 'loaded', served: server.served });
  } catch (thrown) {
    // What a worker said of a module that it could not load.
    const { problem } = thrown as { readonly problem?: ModuleProblem };
    report({ kind: 'broken', problem: problem ?? toProblem(thrown) }, () => process.exit(1));
  }
}

async function listen(port: number, host: string): Promise<void> {
  try {
    report({ kind: 'listening', url: (await server?.listen({ port, host })) ?? '' });
  } catch (thrown) {
    report({ kind: 'unavailable', message: (thrown as Error).message });
  }
}

async function close(): Promise<void> {
  if (closing) return;
  closing = true;
  report({ kind: 'closing' });
  try {
    await server?.close();
    // Author's code may hold the process open.
    process.exit(0);
  } catch (thrown) {
    process.stderr.write(`tiltyard: ${thrown}\n`);
    process.exit(1);
  }
}

function reportImport(url: string): void {
  if (!url.startsWith('file:')) return;
  const { pathname } = new URL(url);
  const file = fileURLToPath(`file://${pathname}`);
  if (isAuthors(file)) report({ kind: 'import', file });
}

// Once the command has gone, there is nobody to tell.
function report(message: Report, onSent: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, onSent);
  else onSent();
}
