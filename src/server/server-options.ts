import type { FastifyServerOptions } from 'fastify';
import { DefinitionError, type Environment, type Toolkit, trueOrFalse } from '../core/index.ts';
import { type ClusterOption, clusterRule } from './cluster/option.ts';
import { type JournalOption, journalRule } from './durable/option.ts';
import { type McpOption, mcpRule } from './mcp/option.ts';
import { type WatchdogOption, watchdogRule } from './observe/watchdog/server-watchdog.ts';
import { anArray, anything, assertOptions, type OptionRules } from './options.ts';
import { ORS_OPTIONS, type OrsOptions } from './ors/service.ts';
import { OXP_OPTIONS, type OxpOptions } from './oxp/service.ts';
import { type RecordOption, recordRule } from './recording/option.ts';
import { type WorkersOption, workersRule } from './workers/option.ts';

/** What a server is made from: environments, toolkits, or both. */
export interface ServerOptions extends Omit<OrsOptions, 'environments'> {
  readonly environments?: readonly Environment[];
  readonly toolkits?: readonly Toolkit[];
  /** What is special to OXP. */
  readonly oxp?: Omit<
    OxpOptions,
    'toolkits' | 'auth' | 'allowHosts' | 'allowOrigins' | 'returnErrors' | 'limits' | 'observer' | 'keeper'
  >;
  /** Pino's options or logger, or false. Default: warnings and errors to standard output. */
  readonly logger?: FastifyServerOptions['logger'];
  /** Whether GET /metrics shows numbers for Prometheus; with auth, not to agents. Default: true. */
  readonly metrics?: boolean;
  /**
   * Whether a thread watches the event loop, and writes into the log which code blocks it for longer than `limits.maxBlockMs`, and what
   * ran if the process exits. There is one for all servers of a process. Lines go to standard error, or to `fd`. Default: false.
   */
  readonly watchdog?: WatchdogOption;
  /**
   * Processes that run the code of the modules named here, instead of `environments` and `toolkits`: a tool that blocks or crashes
   * costs its process, and not the server. Default: none, and all code runs in this process.
   */
  readonly workers?: WorkersOption;
  /**
   * Where episodes are written down, so that they go on after a crash or a restart, as far as their environments allow it
   * (`durability`). Needs the package `lmdb`. Default: nowhere.
   */
  readonly journal?: JournalOption;
  /** Where all episodes are recorded, for people and programs to read. Default: nowhere. */
  readonly record?: RecordOption;
  /**
   * Whether GET /events tells what happens to sessions and calls while it happens; with auth, not to agents. Default: false.
   */
  readonly events?: boolean;
  /**
   * The cluster that the server belongs to, instead of a journal of its own: any server of it answers for any session, and one that dies
   * is replaced by the others. Needs the packages `@nats-io/transport-node` and `@nats-io/jetstream`. Default: none.
   */
  readonly cluster?: ClusterOption;
  /**
   * Whether programs of agents can use it over MCP: environments at /mcp/{environment} and at addresses of POST /{environment}/mcp,
   * toolkits at /mcp/tools. Needs the package `@modelcontextprotocol/server`. Default: false.
   */
  readonly mcp?: McpOption;
}

const SERVER_OPTIONS: OptionRules<ServerOptions> = {
  ...ORS_OPTIONS,
  toolkits: anArray,
  oxp: anything,
  logger: anything,
  metrics: trueOrFalse,
  watchdog: watchdogRule,
  workers: workersRule,
  journal: journalRule,
  record: recordRule,
  events: trueOrFalse,
  cluster: clusterRule,
  mcp: mcpRule,
};

/** Refuses options that mean nothing, or contradict each other. */
export function assertServerOptions(options: ServerOptions): void {
  assertOptions(options, SERVER_OPTIONS, 'createServer');
  const { toolkits, auth, allowHosts, allowOrigins, returnErrors, limits, observer, keeper, ...own } = OXP_OPTIONS;
  if (options.oxp !== undefined) assertOptions(options.oxp, own, 'oxp');
  if (options.cluster !== undefined && options.journal !== undefined)
    throw new DefinitionError("a server of a cluster has the cluster's journal: give either `journal` or `cluster`");
  if (options.host !== undefined && (options.cluster ?? options.workers) !== undefined)
    throw new DefinitionError('`host` cannot be combined with `cluster` or `workers`, which bring a host of their own');
}
