import { type Command, Option } from 'commander';
import { allowHost, allowOrigin, collect, toBytes, toPort, toWorkers } from '../shared/arguments.ts';
import type { ServeOptions } from './serve.ts';

/** Adds `tiltyard serve`. */
export function addServe(root: Command): void {
  root
    .command('serve')
    .description(
      'Serve modules: environments over the Open Reward Standard, toolkits over the Open eXecution Protocol.',
    )
    .argument('<module...>', 'TypeScript or JavaScript files that export environments or toolkits')
    .option('-p, --port <number>', 'port to listen on; 0 picks a free port (default: $PORT, or 8080)', toPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--no-auth', 'allow everyone, even on an address that other machines can reach')
    .addOption(allowHost())
    .addOption(allowOrigin())
    .addOption(
      new Option('--return-errors <how>', "how much of an environment's exceptions clients see")
        .choices(['none', 'exception', 'stacktrace'])
        .default('exception'),
    )
    .addOption(
      new Option('--log-level <level>', 'how much to log; info is a line per call, session and other request')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .option('--limit <name=number>', 'set a limit; repeatable. `tiltyard limits` lists them', collect)
    .option(
      '--workers <number>',
      'processes that run the modules; auto: one per core, 0: run them in the server',
      toWorkers,
      0,
    )
    .option('--journal <folder>', 'write episodes down there, so that they go on after a crash or a restart')
    .option('--journal-sync', 'let answers wait until the disk has what they tell, for losses of power')
    .option('--record <folder>', 'record every episode there: prompts, calls, results, rewards')
    .option('--record-max <size>', 'delete the oldest records above this size (default: 10GB)', toBytes)
    .option('--events', 'tell what happens at GET /events, for `tiltyard studio` and programs that watch')
    .option('--studio', 'start the studio beside the server, on port 8090 or the next free one; adds --events')
    .option('--mcp', 'also serve agents over MCP, at /mcp/{environment} and /mcp/tools')
    .option('--cluster <nats>', 'join the cluster at this address of NATS, such as nats://localhost:4222')
    .option('--node-name <name>', 'name of this server in its cluster (default: the host name)')
    .option('--json', 'print what is served and the limits as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (modules: string[], options: ServeOptions) => {
      const { serve } = await import('./serve.ts');
      await serve(modules, options);
    });
}

const HELP = `
The first environment is the default: the first defined in the first module, or
the first of \`export default [a, b]\`.

API keys are read from the environment variable TILTYARD_API_KEYS (separated by
commas) or from the file named by TILTYARD_API_KEYS_FILE: one per line, or JSON
with an identity and scopes for each. Clients send one as X-API-Key or
OXP-API-Key. Bearer tokens (JWT) are verified with TILTYARD_JWT_SECRET, or the
file named by TILTYARD_JWT_SECRET_FILE, and TILTYARD_JWT_AUDIENCE. A token needs
a scope; TILTYARD_JWT_MISSING_CLAIMS=allow takes tokens without one.

Without auth, the server answers to localhost, to the addresses of this machine
and to the names that --allow-host adds, and refuses web pages of other origins
unless --allow-origin names them: no page may use a server that asks for no key.

With --workers, the modules run in processes of their own: a tool that blocks or
crashes costs its process, and not the server. Episodes whose environments
declare a \`durability\` continue in another process; the others in it are lost.
A process that ends is replaced, also one that takes more than
maxWorkerMemoryBytes.

With --journal, episodes whose environments declare a \`durability\` go on where
they were when the server starts again, also after a crash; others end as lost.
Repeated calls of toolkits are answered as before, by their call_id.
Needs the package lmdb. What comes with secrets is written only if the
environment variable TILTYARD_JOURNAL_KEY has a key (32 bytes as hex or base64;
several separated by commas: the first one writes, all of them read).

With --record, every episode of every client is a file of JSON lines, without
its secrets, for \`tiltyard replay\`, \`tiltyard mock\`, or your own programs. A
disk that is full or slow costs records, and never an episode.

With --events, GET /events tells of sessions and calls while they happen, as
server-sent events; prompts, inputs and results only to those who ask. With
auth, callers hear of their own sessions, and with the scope events of all.

With --cluster, several servers share their sessions: any of them answers for
any session, and the others go on with those of one that dies, as far as their
environments declare a \`durability\`. All of them serve the same environments
with the same keys, behind any load balancer; toolkits are not shared, and need
servers of their own. Needs NATS 2.9 or later with JetStream, and the packages
@nats-io/transport-node and @nats-io/jetstream. Several servers of NATS are
separated by commas. TILTYARD_CLUSTER can hold the address instead, so that a
password in it (nats://user:password@host) is not seen by others.

With --mcp, programs of agents use the environments and toolkits over MCP: see
docs/mcp.md for what to paste into each. Needs the package
@modelcontextprotocol/server. The addresses of episodes that POST
/{environment}/mcp gives are made with TILTYARD_MCP_KEY (32 characters or more),
so that they are good after a restart and at all servers of a cluster.

Limits can also be set with the environment variable TILTYARD_LIMITS, separated
by commas; --limit takes precedence.

Examples:
  tiltyard serve environment.ts
  tiltyard serve toolkit.ts
  PORT=9000 tiltyard serve environment.ts toolkit.ts --log-level info
  TILTYARD_API_KEYS=$(openssl rand -hex 16) tiltyard serve environment.ts --host 0.0.0.0
  tiltyard serve environment.ts --workers auto --journal data/journal
  tiltyard serve environment.ts --record data/records --record-max 500MB
  tiltyard serve environment.ts --events
  tiltyard serve environment.ts --studio
  tiltyard serve environment.ts --cluster nats://localhost:4222 --node-name one
  tiltyard serve environment.ts --mcp
  tiltyard serve environment.ts --limit maxSessions=500 --limit drainMs=60000`;
