import { createServer, type ReturnErrors, type Server } from '../../server/index.ts';
import { loadModules } from '../shared/load-modules.ts';
import { untilUnread } from '../shared/output.ts';
import { takeAccess } from '../shared/serving/access.ts';
import { banner, toServed } from '../shared/serving/banner.ts';
import { defaultPort } from '../shared/serving/port.ts';
import { toWebOptions, type WebArguments } from '../shared/serving/web.ts';
import { readLimits } from './limits.ts';
import { stopWhenTold } from './stopping.ts';
import { surviveStrayErrors } from './stray-errors.ts';

/** The options of `tiltyard serve`. */
export interface ServeOptions extends WebArguments {
  readonly port?: number;
  readonly host: string;
  readonly auth: boolean;
  readonly returnErrors: ReturnErrors;
  readonly logLevel: string;
  /** Each as `name=number`. */
  readonly limit?: readonly string[];
  readonly json?: boolean;
}

/** Serves the environments and toolkits of modules until a signal ends it. */
export async function serve(modules: readonly string[], options: ServeOptions): Promise<void> {
  const unread = untilUnread();
  const warn = (message: string) => void process.stderr.write(`tiltyard: ${message}\n`);
  const auth = await takeAccess(options, warn);
  const web = await toWebOptions(options);
  const { host, port = defaultPort(process.env) } = options;
  const limits = readLimits(options.limit, process.env.TILTYARD_LIMITS);
  const loaded = await loadModules(modules);
  const server = await createServer({
    ...loaded,
    ...web,
    auth,
    limits,
    returnErrors: options.returnErrors,
    logger: { level: options.logLevel },
    watchdog: true,
  });
  surviveStrayErrors(server.app.log);
  stopWhenTold(server, unread);
  await listen(server, { host, port });
  const { url } = server;
  process.stdout.write(banner(toServed(loaded), { url, json: options.json ?? false, auth, limits: server.limits }));
}

async function listen(server: Server, address: { readonly host: string; readonly port: number }): Promise<void> {
  try {
    await server.listen(address);
  } catch (thrown) {
    await server.close();
    throw thrown;
  }
}
