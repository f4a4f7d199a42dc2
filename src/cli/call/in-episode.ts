import { type CallResult, type Session, ToolCallError, ToolFailed } from '../../client/index.ts';
import { printBlocks } from '../shared/blocks.ts';
import { chooseTask, describeChoice, findEnvironment, openEpisode, withSession } from '../shared/episode.ts';
import { openGallery } from '../shared/images/gallery.ts';
import { toRewardText } from '../shared/numbers.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import { processTerminal, type Terminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import type { OpenServer } from '../shared/with-server.ts';
import { CallFailure, failureText } from './call-failure.ts';
import type { ReadInput } from './input.ts';
import type { CallOptions } from './options.ts';
import { unknownTool } from './unknown-tool.ts';

/** A call that is ready to be made. */
export interface ReadyCall {
  readonly tool: string;
  readonly readFor: ReadInput;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Calls a tool of an environment, in an episode of its own or in a session that is there. */
export async function callInEpisode(server: OpenServer, ready: ReadyCall, options: CallOptions): Promise<void> {
  const terminal = processTerminal();
  const session = await openSession(server, { ...options, secrets: ready.secrets }, terminal);
  await withSession(session, server, () => callInSession(server, { ...ready, session }, options));
}

async function callInSession(
  server: OpenServer,
  { session, ...ready }: ReadyCall & { readonly session: Session },
  options: CallOptions,
): Promise<void> {
  const terminal = processTerminal();
  try {
    const result = await callTool(session, ready, server);
    if (options.json === true) terminal.printJson(toPrinted(result));
    else await printResult(result, terminal, options.images);
  } catch (thrown) {
    if (!(thrown instanceof ToolCallError) && !(thrown instanceof ToolFailed)) throw thrown;
    if (thrown instanceof ToolCallError && thrown.reason === 'not_found') {
      throw await unknownTool(server, ready.tool, await session.tools({ signal: server.signal }));
    }
    const reason = thrown instanceof ToolCallError ? thrown.reason : 'broken';
    throw new CallFailure(toSafeText(failureText(thrown.message, reason)), { message: thrown.message, reason });
  }
}

async function openSession(
  server: OpenServer,
  options: CallOptions & Pick<ReadyCall, 'secrets'>,
  terminal: Terminal,
): Promise<Session> {
  const { signal } = server;
  const environment = await findEnvironment(server, options.environment);
  if (options.sid !== undefined) return environment.attach(options.sid, { signal });
  const choice = await chooseTask(environment, options, signal);
  terminal.note(terminal.noteColors.dim(toSafeText(`${environment.name}: ${describeChoice(choice)}`)));
  return openEpisode(environment, choice, { secrets: options.secrets, signal });
}

async function callTool(session: Session, { tool, readFor }: ReadyCall, server: OpenServer): Promise<CallResult> {
  const { signal } = server;
  const input = await readFor(async () => {
    const tools = await waitFor('setting up the episode', session.tools({ signal }));
    const found = tools.find(({ name }) => name === tool);
    if (found === undefined) throw await unknownTool(server, tool, tools);
    return found.input_schema ?? null;
  });
  return waitFor(`waiting for ${toSafeText(tool)}`, session.call(tool, input, { signal }));
}

function toPrinted({ blocks, reward, finished, metadata }: CallResult): object {
  return { blocks, reward, finished, metadata };
}

async function printResult(
  { blocks, reward, finished, metadata }: CallResult,
  terminal: Terminal,
  folder: string | undefined,
): Promise<void> {
  await printBlocks(blocks, { terminal, gallery: openGallery(folder), label: 'call' });
  const { dim, bold } = terminal.colors;
  terminal.print(`${dim('reward')}    ${bold(toRewardText(reward))}`);
  terminal.print(`${dim('finished')}  ${finished ? 'yes' : 'no'}`);
  if (metadata !== null) terminal.print(`${dim('metadata')}  ${toSafeJson(metadata)}`);
}
