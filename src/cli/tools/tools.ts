import type { ToolSpec } from '../../protocol/index.ts';
import {
  assertEpisodeOptions,
  chooseTask,
  type EpisodeOptions,
  findEnvironment,
  openEpisode,
  withSession,
} from '../shared/episode.ts';
import { misuse } from '../shared/failure.ts';
import { mcpUrlOf } from '../shared/mcp-url.ts';
import { discoverProtocols } from '../shared/protocols.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { readSecrets } from '../shared/secrets.ts';
import { processTerminal, type Terminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import { type OpenServer, withServer } from '../shared/with-server.ts';
import { toToolkitLines, toToolLines } from './signature.ts';

/** The options of `tiltyard tools`. */
export interface ToolsOptions extends EpisodeOptions {
  readonly secret?: readonly string[];
  readonly json?: boolean;
}

/** Shows the tools of a server: of its environments, or of one task, and those outside of environments. */
export async function tools(target: string, options: ToolsOptions): Promise<void> {
  assertEpisodeOptions(options);
  const terminal = processTerminal();
  const url = mcpUrlOf(target);
  if (url !== undefined) {
    const { toolsAtMcp } = await import('./at-mcp.ts');
    return toolsAtMcp(url, options, terminal);
  }
  if (options.secret !== undefined && !isAboutTask(options))
    throw misuse('--secret is for the session of a task: add --split, --index or --task');
  const show = async (server: OpenServer) => {
    if (isAboutTask(options)) return showTaskTools(server, options, terminal);
    if (options.environment !== undefined) {
      const environment = await findEnvironment(server, options.environment);
      return showTools(await environment.tools({ signal: server.signal }), environment.name, { ...options, terminal });
    }
    return showAll(server, { ...options, terminal });
  };
  await withServer(target, show, { retype: (url) => `tiltyard tools ${url}` });
}

function isAboutTask({ split, index, task }: ToolsOptions): boolean {
  return split !== undefined || index !== undefined || task !== undefined;
}

async function showTaskTools(server: OpenServer, options: ToolsOptions, terminal: Terminal): Promise<void> {
  const { signal } = server;
  const secrets = readSecrets(options.secret);
  const environment = await findEnvironment(server, options.environment);
  const choice = await chooseTask(environment, options, signal);
  const session = await openEpisode(environment, choice, { secrets, signal });
  await withSession(session, server, async () => {
    const listed = await waitFor('setting up the episode', session.tools({ signal }));
    showTools(listed, environment.name, { ...options, terminal });
  });
}

interface ShowOptions extends ToolsOptions {
  readonly terminal: Terminal;
}

async function showAll(server: OpenServer, options: ShowOptions): Promise<void> {
  const { signal } = server;
  const { json = false, terminal } = options;
  const { environments = [], tools: kit = [] } = await discoverProtocols(server);
  const listed = await Promise.all(environments.map((name) => server.ors.environment(name).tools({ signal })));
  for (const [at, name] of environments.entries()) showTools(listed[at] ?? [], name, options);
  for (const definition of kit) {
    if (json) terminal.printJson(definition);
    else for (const line of toToolkitLines(definition, terminal.colors)) terminal.print(line);
  }
  if (environments.length > 0 && !json)
    terminal.note(terminal.noteColors.dim('Tasks may have tools of their own; see them with --split and --index.'));
}

function showTools(listed: readonly ToolSpec[], environment: string, { json = false, terminal }: ShowOptions): void {
  if (json) {
    for (const tool of listed) terminal.printJson({ environment, ...tool });
    return;
  }
  terminal.print(terminal.colors.bold(toSafeText(environment)));
  for (const tool of listed)
    for (const line of toToolLines(tool, terminal.colors)) terminal.print(`  ${line}`.trimEnd());
}
