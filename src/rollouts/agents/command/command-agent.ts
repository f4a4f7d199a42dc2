import { type Gateway, openGateway } from '../../../mcp/index.ts';
import { Halt } from '../../outcome/halt.ts';
import type { Agent, AgentEpisode } from '../../play/agent.ts';
import { endOf, Sightings } from './diagnosis.ts';
import { runFace } from './episode-face.ts';
import { type EpisodeFiles, episodeFiles } from './episode-files.ts';
import { fillIn, misplacedPrompt, type Placed, placesPrompt, toVariables } from './placeholders.ts';
import { Program, type ProgramEnd } from './program.ts';

/** A program that plays: any that speaks MCP. */
export interface CommandAgentOptions {
  readonly command: string;
  /** May have `{url} {token} {prompt} {prompt_file} {mcp_config} {tools}` in them. */
  readonly args?: readonly string[];
  /** More variables for it, with the same placeholders. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files that it wants, by their paths in the folder where it runs, with the same placeholders. */
  readonly files?: Readonly<Record<string, string>>;
  /** The JSON of `{mcp_config}`. Default: as Claude Code reads it. */
  readonly config?: (address: Pick<Placed, 'url' | 'token'>) => object;
  /** Variables of this process that it must not see, beside those of Tiltyard. */
  readonly hidden?: readonly string[];
  /** How long it may go on after the episode is over, before it is told to stop. Default: 10 s. */
  readonly graceMs?: number;
}

const GRACE_MS = 10_000;
// Between being told to stop and being stopped.
const PATIENCE_MS = 5_000;

/** An agent that starts a program for each episode, which acts in it over MCP. */
export function commandAgent(options: CommandAgentOptions): Agent {
  return async (episode) => {
    const seen = new Sightings();
    let over: (why: Halt | undefined) => void = () => {};
    const isOver = new Promise<Halt | undefined>((resolve) => {
      over = resolve;
    });
    const onError = (thrown: unknown) => episode.note(`mcp: ${thrown}`);
    await using gateway = await openGateway(
      runFace(episode, { over }),
      { explain: () => undefined, onError },
      (method) => seen.note(method),
    );
    await using files = await episodeFiles(episode.prompt, closingWords(episode));
    const program = await start(options, { episode, gateway, files });
    const end = await play(program, { isOver, signal: episode.signal, graceMs: options.graceMs ?? GRACE_MS });
    judge(episode, seen, end, await Promise.race([isOver, undefined]));
  };
}

interface Parts {
  readonly episode: AgentEpisode;
  readonly gateway: Gateway;
  readonly files: EpisodeFiles;
}

async function start(options: CommandAgentOptions, { episode, gateway, files }: Parts): Promise<Program> {
  const { command, args = [], env = {}, files: wanted = {}, config = claudeConfig, hidden = [] } = options;
  const { url, token } = gateway;
  const { folder, prompt, promptFile } = files;
  const placed: Placed = {
    url,
    token,
    prompt,
    prompt_file: promptFile,
    mcp_config: await files.write('files/mcp.json', JSON.stringify(config({ url, token }))),
    tools: episode.tools.map(({ name }) => name).join(','),
  };
  const misplaced = misplacedPrompt([...args, ...Object.values(env)], placed);
  if (misplaced !== undefined) throw new Halt('agent_threw', misplaced);
  const fill = (text: string) => fillIn([text], placed).join('');
  for (const [path, text] of Object.entries(wanted)) await files.write(`work/${path}`, fill(text));
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
  return new Program({
    command,
    args: fillIn(args, placed),
    cwd: folder,
    env: { ...inherited(hidden), ...toVariables(placed), ...own },
    input: placesPrompt(args) ? '' : prompt,
  });
}

/** Waits for the program's end; when the episode is over, for a while only. */
async function play(
  program: Program,
  { isOver, signal, graceMs }: { isOver: Promise<unknown>; signal: AbortSignal; graceMs: number },
): Promise<ProgramEnd> {
  const stop = () => program.stop(PATIENCE_MS);
  let grace: NodeJS.Timeout | undefined;
  void isOver.then(() => {
    grace = setTimeout(stop, graceMs);
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await program.ended;
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
  }
}

/** Writes down how it went; a program that never came to play says nothing about how well it plays. */
function judge(episode: AgentEpisode, seen: Sightings, end: ProgramEnd, halt: Halt | undefined): void {
  const { code, signal, output } = end;
  episode.note(endOf(end), { exit: code, signal, calls: seen.calls, output });
  if (halt !== undefined) throw halt;
  if (!seen.hasConnected) throw new Halt('agent_threw', `${endOf(end)}: ${seen.diagnosis}\n${output}`.trimEnd());
  // Thrown also by one that finished the episode, which then counts for more.
  throw new Halt('gave_up', `${endOf(end)}: ${seen.diagnosis}`);
}

/** What every program is told after the prompt of the environment. */
function closingWords({ tools }: Pick<AgentEpisode, 'tools'>): string {
  const names = tools.map(({ name }) => name).join(', ');
  return `Act only with the tools of the MCP server 'tiltyard': ${names}. When a result says that the episode has ended, stop: do nothing more.`;
}

function claudeConfig({ url, token }: Pick<Placed, 'url' | 'token'>): object {
  const headers = { Authorization: `Bearer ${token}` };
  return { mcpServers: { tiltyard: { type: 'http', url, headers } } };
}

// Keys of servers of environments: the program has its address, and nothing else.
const OURS = /^(TILTYARD_|ORS_API_KEY$|OPENREWARD_)/;

function inherited(hidden: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name) && !hidden.includes(name)));
}
