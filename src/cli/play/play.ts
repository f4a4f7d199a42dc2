import { credentialsIn } from '../../client/index.ts';
import type { RecordedEpisode } from '../../records/index.ts';
import {
  assertEpisodeOptions,
  chooseTask,
  type EpisodeOptions,
  findEnvironment,
  openEpisode,
  withSession,
} from '../shared/episode.ts';
import { Failure, misuse } from '../shared/failure.ts';
import { openGallery } from '../shared/images/gallery.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { readSecrets } from '../shared/secrets.ts';
import { processTerminal, type Terminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import { type OpenServer, withServer } from '../shared/with-server.ts';
import { terminalAsker } from './asker.ts';
import { type ChosenEpisode, chooseEpisode } from './choose.ts';
import { compare, hasExpectations } from './compare.ts';
import { type Game, type Player, playGame } from './game.ts';
import { personPlayer } from './person.ts';
import { GameRecord } from './recording.ts';
import { readScript, scriptPlayer } from './script.ts';
import { jsonView, readableView, type View } from './view.ts';

/** The options of `tiltyard play`. */
export interface PlayOptions extends EpisodeOptions {
  readonly secret?: readonly string[];
  readonly images?: string;
  readonly record?: string;
  readonly script?: string;
  readonly json?: boolean;
}

/** Plays an episode: by hand, or by a script, and then tells how it differs from what the script recorded. */
export async function play(target: string, options: PlayOptions): Promise<void> {
  const terminal = processTerminal();
  assertPlayable(options, terminal);
  const secrets = readSecrets(options.secret);
  const script = options.script === undefined ? undefined : await readScript(options.script);
  const view = options.json === true ? jsonView(terminal) : readableView(terminal, openGallery(options.images));
  const playAt = async (server: OpenServer) => {
    const { episode, player } = await prepare(server, options, script);
    const game = await playEpisode(server, { episode, player, secrets, view, record: options.record });
    const differences = script === undefined ? [] : compare(script, game);
    view.end(game, script !== undefined && hasExpectations(script) ? differences : undefined);
    if (differences.length > 0)
      throw new Failure(toSafeText(`the game differs from ${options.script}:\n  ${differences.join('\n  ')}`));
  };
  await withServer(target, playAt, { retype: (url) => `tiltyard play ${url}` });
}

function assertPlayable(options: PlayOptions, { isInteractive }: Terminal): void {
  assertEpisodeOptions(options);
  if (options.script !== undefined) return;
  if (options.json === true) throw misuse('--json only works for replays: add --script FILE');
  if (!isInteractive) {
    throw misuse(
      'play is interactive and needs a terminal. ' +
        "Replay a recorded game with --script FILE, or make single calls with 'tiltyard call'",
    );
  }
}

interface Prepared {
  readonly episode: ChosenEpisode;
  readonly player: Player;
}

async function prepare(
  server: OpenServer,
  options: PlayOptions,
  script: RecordedEpisode | undefined,
): Promise<Prepared> {
  if (script === undefined) {
    const asker = terminalAsker(server.signal);
    return { episode: await chooseEpisode(server, options, asker), player: personPlayer(asker) };
  }
  const environment = await findEnvironment(server, options.environment ?? script.environment);
  // What the command line says of the task replaces the script's.
  const isSaid = [options.split, options.index, options.task].some((each) => each !== undefined);
  const choice = isSaid ? await chooseTask(environment, options, server.signal) : script.choice;
  return { episode: { environment, choice }, player: scriptPlayer(script) };
}

interface Playing extends Prepared {
  readonly secrets: Readonly<Record<string, string>>;
  readonly view: View;
  readonly record: string | undefined;
}

async function playEpisode(server: OpenServer, { episode, player, secrets, view, record }: Playing): Promise<Game> {
  const { signal } = server;
  const { environment, choice } = episode;
  const session = await openEpisode(environment, choice, { secrets, signal });
  return withSession(session, server, async () => {
    const prompt = await waitFor('setting up the episode', session.prompt({ signal }));
    const tools = await session.tools({ signal });
    const hidden = { ...secrets, ...credentialsIn(server) };
    const start = { environment: environment.name, choice, sid: session.sid, tools, prompt, hidden };
    using written = record === undefined ? undefined : new GameRecord(record, start);
    await view.prompt({ environment: environment.name, choice, prompt });
    try {
      return await playGame({
        session,
        tools,
        player,
        signal,
        onMove: (move) => written?.begin(move),
        async onChange(game) {
          written?.save(game);
          if (game.outcome !== 'left') await view.call(game);
        },
      });
    } catch (thrown) {
      if (!signal.aborted) written?.lose(thrown);
      throw thrown;
    }
  });
}
