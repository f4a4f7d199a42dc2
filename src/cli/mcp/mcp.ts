import { ClientError } from '../../client/index.ts';
import { serveStdio } from '../../mcp/index.ts';
import {
  assertEpisodeOptions,
  chooseTask,
  describeChoice,
  type EpisodeOptions,
  findEnvironment,
  openEpisode,
  withSession,
} from '../shared/episode.ts';
import { Failure, misuse } from '../shared/failure.ts';
import { toRewardText } from '../shared/numbers.ts';
import { discoverProtocols } from '../shared/protocols.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { readSecrets } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { type OpenServer, withServer } from '../shared/with-server.ts';
import { episodeFace, type Score } from './episode-face.ts';
import { takeOutput } from './own-output.ts';
import { toolkitFace } from './toolkit-face.ts';

/** The options of `tiltyard mcp`. */
export interface McpOptions extends EpisodeOptions {
  readonly secret?: readonly string[];
  readonly toolkits?: boolean;
  readonly rewards?: boolean;
}

/** Serves one episode, or the tools of toolkits, over standard input and output; the end of the input ends it. */
export async function mcp(target: string, options: McpOptions): Promise<void> {
  assertEpisodeOptions(options);
  if (options.toolkits === true && saysWhichEpisode(options))
    throw misuse('--toolkits serves tools outside of episodes: drop the options of episodes');
  const output = takeOutput();
  const terminal = processTerminal();
  const secrets = readSecrets(options.secret);
  await withServer(target, async (server) => {
    const { signal } = server;
    const onError = (thrown: unknown) => terminal.note(toSafeText(`mcp: ${messageOf(thrown)}`));
    const explain = (thrown: unknown) => (thrown instanceof ClientError ? thrown.message : undefined);
    const serving = { output, signal, onError, explain };
    const { environments = [], tools = [] } = await discoverProtocols(server);
    if (options.toolkits === true || environments.length === 0) {
      if (tools.length === 0) throw new Failure(`${server.name} has no toolkits`);
      return serveStdio(toolkitFace(server.oxp, tools, { secrets }), serving);
    }
    const environment = await findEnvironment(server, options.environment);
    const choice = await chooseTask(environment, options, signal);
    const session = await openEpisode(environment, choice, { secrets, signal });
    await withSession(session, server, async () => {
      const { face, score } = await episodeFace({
        environment,
        known: knownOf(server, environment),
        session,
        reader: options.rewards === true ? 'orchestrator' : 'agent',
      });
      terminal.note(toSafeText(`${environment.name}: ${describeChoice(choice)}, over standard input and output`));
      await serveStdio(face, serving);
      terminal.note(scoreText(score));
    });
  });
}

function saysWhichEpisode({ environment, split, index, task, rewards }: McpOptions): boolean {
  return [environment, split, index, task, rewards].some((each) => each !== undefined);
}

function knownOf({ module }: OpenServer, { name }: { readonly name: string }) {
  return module?.environments.find((each) => each.name === name.toLowerCase());
}

function scoreText({ calls, reward, finished }: Score): string {
  const ended = finished ? 'finished' : 'not finished';
  return `the episode was ${ended} after ${calls} ${calls === 1 ? 'call' : 'calls'}; reward ${toRewardText(reward)}`;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
