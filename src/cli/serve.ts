import { createServer, type ReturnErrors, type Server } from '../server/index.ts';
import { takeAuth } from './auth.ts';
import { banner } from './banner.ts';
import { readLimits } from './limits.ts';
import { loadModules } from './load-modules.ts';
import { closeOnSignals } from './signals.ts';
import { surviveStrayErrors } from './stray-errors.ts';

/** The options of `tiltyard serve`. */
export interface ServeOptions {
  readonly port?: number;
  readonly host: string;
  readonly auth: boolean;
  readonly returnErrors: string;
  readonly logLevel: string;
  /** Each as `name=number`. */
  readonly limit?: readonly string[];
  readonly json?: boolean;
}

const DEFAULT_PORT = 8080;

/** Serves the environments and toolkits of modules until a signal ends it. */
export async function serve(modules: readonly string[], options: ServeOptions): Promise<void> {
  const warn = (message: string) => void process.stderr.write(`tiltyard: ${message}\n`);
  const auth = options.auth ? takeAuth(process.env, warn) : undefined;
  if (auth === undefined && options.auth && !isLoopback(options.host)) {
    throw new Error(
      `${options.host} can be reached from other machines, and nobody needs a key. ` +
        'Set TILTYARD_API_KEYS or TILTYARD_JWT_SECRET, or add --no-auth to let everybody in',
    );
  }
  const limits = readLimits(options.limit, process.env.TILTYARD_LIMITS);
  const loaded = await loadModules(modules);
  const server = await createServer({
    ...loaded,
    auth,
    limits,
    returnErrors: toReturnErrors(options.returnErrors),
    logger: { level: options.logLevel },
  });
  surviveStrayErrors(server.app.log);
  closeOnSignals(server);
  await listen(server, options);
  process.stdout.write(banner(loaded, { url: server.url, json: options.json ?? false, auth, limits: server.limits }));
}

async function listen(server: Server, { port = toPort(process.env.PORT), host }: ServeOptions): Promise<void> {
  try {
    await server.listen({ port, host });
  } catch (thrown) {
    await server.close();
    throw thrown;
  }
}

function toPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT must be a number from 0 to 65535, not '${text}'`);
  return port;
}

function toReturnErrors(text: string): ReturnErrors {
  if (text === 'none' || text === 'exception' || text === 'stacktrace') return text;
  throw new Error(`--return-errors must be none, exception or stacktrace, not '${text}'`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
