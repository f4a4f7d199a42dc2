import { TOOL_ID } from '../../protocol/index.ts';
import { assertEpisodeOptions } from '../shared/episode.ts';
import { misuse } from '../shared/failure.ts';
import { mcpUrlOf } from '../shared/mcp-url.ts';
import { environmentsOf } from '../shared/protocols.ts';
import { readSecrets } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { type OpenServer, withServer } from '../shared/with-server.ts';
import { toCallError } from './call-failure.ts';
import { callInEpisode } from './in-episode.ts';
import { callInToolkit } from './in-toolkit.ts';
import { readInput } from './input.ts';
import type { CallOptions } from './options.ts';

/** What is called, as a person wrote it. */
export interface Called {
  readonly tool: string;
  readonly input: string | undefined;
}

/** Calls one tool and prints what it gave; programs get a line also when it failed. */
export async function call(target: string, called: Called, options: CallOptions): Promise<void> {
  try {
    await callOnce(target, called, options);
  } catch (thrown) {
    if (options.json === true) processTerminal().printJson({ error: toCallError(thrown) });
    throw thrown;
  }
}

async function callOnce(target: string, { tool, input }: Called, options: CallOptions): Promise<void> {
  assertEpisodeOptions(options);
  if (options.sid !== undefined && saysWhichTask(options))
    throw misuse('--sid names a session that already has its task: drop --split, --index and --task');
  const secrets = readSecrets(options.secret);
  const readFor = await readInput(input, options.input);
  const url = mcpUrlOf(target);
  if (url !== undefined) {
    const { callAtMcp } = await import('./at-mcp.ts');
    return callAtMcp(url, { tool, readFor }, options);
  }
  const callAt = async (server: OpenServer) => {
    const isOfToolkit = !isInEpisode(options) && (TOOL_ID.test(tool) || (await environmentsOf(server)) === undefined);
    const callReady = isOfToolkit ? callInToolkit : callInEpisode;
    await callReady(server, { tool, readFor, secrets }, options);
  };
  await withServer(target, callAt, { retype: (server) => `tiltyard call ${server} ${tool}` });
}

function isInEpisode(options: CallOptions): boolean {
  return options.environment !== undefined || options.sid !== undefined || saysWhichTask(options);
}

function saysWhichTask({ split, index, task }: CallOptions): boolean {
  return split !== undefined || index !== undefined || task !== undefined;
}
