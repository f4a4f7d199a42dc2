import { hostname } from 'node:os';
import { createServer, type ReturnErrors, type Server, type ServerOptions } from '../../server/index.ts';
import { surviveStrayErrors } from '../../sessions/index.ts';
import { misuse } from '../shared/failure.ts';
import { loadModules, toLoadError } from '../shared/load-modules.ts';
import { LOADER } from '../shared/loader.ts';
import { assertModule } from '../shared/module-path.ts';
import { untilUnread } from '../shared/output.ts';
import { takeAccess } from '../shared/serving/access.ts';
import { banner } from '../shared/serving/banner.ts';
import { makeObjectsYoung } from '../shared/serving/collector.ts';
import { defaultPort } from '../shared/serving/port.ts';
import { stopWhenTold } from '../shared/serving/stopping.ts';
import { takeClusterAddress, takeJournalKey, takeMcpKey } from '../shared/serving/variables.ts';
import { toWebOptions, type WebArguments } from '../shared/serving/web.ts';
import type { BesideServer } from '../shared/studio/beside.ts';
import { readLimits } from './limits.ts';
import { unkeptNote } from './unkept.ts';
import { openWaitingRoom, type WaitingRoom } from './waiting-room.ts';

/** The options of `tiltyard serve`. */
export interface ServeOptions extends WebArguments {
  readonly port?: number;
  readonly host: string;
  readonly auth: boolean;
  readonly returnErrors: ReturnErrors;
  readonly logLevel: string;
  /** Each as `name=number`. */
  readonly limit?: readonly string[];
  readonly workers: number;
  readonly journal?: string;
  readonly journalSync?: boolean;
  readonly record?: string;
  readonly recordMax?: number;
  readonly events?: boolean;
  readonly studio?: boolean;
  readonly mcp?: boolean;
  readonly cluster?: string;
  readonly nodeName?: string;
  readonly json?: boolean;
}

/** Serves the environments and toolkits of modules until a signal ends it. */
export async function serve(modules: readonly string[], options: ServeOptions): Promise<void> {
  makeObjectsYoung();
  const unread = untilUnread();
  const warn = (message: string) => void process.stderr.write(`tiltyard: ${message}\n`);
  const auth = await takeAccess(options, warn);
  const key = takeJournalKey(process.env);
  const journal = await journalOf(options, key);
  const cluster = await clusterOf(options, takeClusterAddress(process.env), key);
  const mcp = mcpOf(options, takeMcpKey(process.env));
  const web = await toWebOptions(options);
  const { host, port = defaultPort(process.env) } = options;
  const limits = readLimits(options.limit, process.env.TILTYARD_LIMITS);
  const room = options.journal === undefined ? undefined : await openWaitingRoom(host, port);
  const server = await createServer({
    ...(await codeOf(modules, options.workers)),
    ...web,
    auth,
    limits,
    returnErrors: options.returnErrors,
    logger: { level: options.logLevel },
    watchdog: true,
    ...journal,
    ...recordOf(options),
    events: options.events === true || options.studio === true,
    ...cluster,
    ...mcp,
  }).catch(explainStart);
  surviveStrayErrors(server.app.log);
  stopWhenTold(server, unread);
  await listen(server, { host, port }, room);
  const { url } = server;
  const unkept = journal.journal === undefined && cluster.cluster === undefined ? undefined : unkeptNote(server);
  if (unkept !== undefined) warn(unkept);
  const studio = options.studio === true ? await studioBeside({ name: modules[0] ?? '', url, auth }, warn) : undefined;
  const { json = false, mcp: hasMcp = false } = options;
  process.stdout.write(banner(server.served, { url, json, auth, limits: server.limits, studio, hasMcp }));
}

/** The address of the studio; undefined if it cannot be started, which does not concern the server. */
async function studioBeside(beside: BesideServer, warn: (message: string) => void): Promise<string | undefined> {
  try {
    const { startBeside } = await import('../shared/studio/beside.ts');
    return (await startBeside(beside)).url;
  } catch (thrown) {
    warn(`the studio could not be started: ${(thrown as Error).message}`);
    return undefined;
  }
}

/** Where episodes are written down, if they are. */
async function journalOf(
  { journal: folder, journalSync: sync = false }: ServeOptions,
  key: string | undefined,
): Promise<Pick<ServerOptions, 'journal'>> {
  if (folder === undefined && sync)
    throw misuse('--journal-sync says how a journal is written. Name one with --journal');
  if (folder === undefined) return {};
  const keys = await keysOf(key);
  const { recoveryDisplay } = await import('./recovery.ts');
  return { journal: { folder, sync, keys, recovery: recoveryDisplay(folder) } };
}

/** Where episodes are recorded, if they are. */
function recordOf({ record: folder, recordMax: maxBytes }: ServeOptions): Pick<ServerOptions, 'record'> {
  if (folder === undefined && maxBytes !== undefined)
    throw misuse('--record-max says how much may be recorded. Name a folder with --record');
  if (folder === undefined) return {};
  return { record: maxBytes === undefined ? { folder } : { folder, maxBytes } };
}

/** The cluster that the server belongs to, if it does. */
async function clusterOf(
  { cluster, nodeName, journal }: ServeOptions,
  address: string | undefined,
  key: string | undefined,
): Promise<Pick<ServerOptions, 'cluster'>> {
  const nats = cluster ?? address;
  if (nats === undefined && nodeName !== undefined)
    throw misuse('--node-name names a server of a cluster. Name the cluster with --cluster');
  if (nats === undefined) return {};
  if (nodeName !== undefined && (nodeName === '' || toNodeName(nodeName) !== nodeName))
    throw misuse(`--node-name must be 1 to 64 letters, digits, '-' or '_', not '${nodeName}'`);
  if (journal !== undefined)
    throw misuse("a server of a cluster has the cluster's journal: leave out --journal, or --cluster");
  return { cluster: { nats, nodeName: nodeName ?? toNodeName(hostname()), keys: await keysOf(key) } };
}

/** Whether agents are served over MCP, and with which key their addresses are made. */
function mcpOf({ mcp = false }: ServeOptions, key: string | undefined): Pick<ServerOptions, 'mcp'> {
  if (!mcp && key !== undefined) throw misuse('TILTYARD_MCP_KEY is for addresses over MCP: add --mcp, or unset it');
  return mcp ? { mcp: key === undefined ? true : { key } } : {};
}

/** The keys of a journal, as a server takes them. */
async function keysOf(text: string | undefined): Promise<readonly string[]> {
  const { readJournalKeys } = await import('../shared/journal-keys.ts');
  return readJournalKeys(text).map((each) => each.toString('hex'));
}

/** A host name as the name of a node, which has no dots. */
function toNodeName(host: string): string {
  return host.replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 64);
}

/** The modules loaded here, or what loads them in other processes. */
async function codeOf(
  modules: readonly string[],
  count: number,
): Promise<Pick<ServerOptions, 'environments' | 'toolkits' | 'workers'>> {
  if (count === 0) return loadModules(modules);
  for (const module of modules) assertModule(module);
  return { workers: { modules, count, loader: LOADER } };
}

function explainStart(thrown: unknown): never {
  const { message, name } = thrown as Error;
  // By its name: what a cluster needs is loaded only with one.
  throw name === 'InvalidNatsAddress' ? misuse(message) : toLoadError(thrown);
}

async function listen(
  server: Server,
  address: { readonly host: string; readonly port: number },
  room: WaitingRoom | undefined,
): Promise<void> {
  try {
    await room?.close();
    await server.listen(address);
    room?.admit(server);
  } catch (thrown) {
    await server.close();
    throw thrown;
  }
}
