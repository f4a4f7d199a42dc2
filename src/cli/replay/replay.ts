import { readEpisode } from '../../records/index.ts';
import { assertEpisodeOptions, describeChoice, type EpisodeOptions } from '../shared/episode.ts';
import { Failure } from '../shared/failure.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { readSecrets } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { toRecordMisuse } from '../shared/unreadable.ts';
import { withServer } from '../shared/with-server.ts';
import { replayEpisode } from './replay-episode.ts';
import { toText } from './text.ts';

/** The options of `tiltyard replay`. */
export interface ReplayOptions extends EpisodeOptions {
  readonly secret?: readonly string[];
  readonly json?: boolean;
}

/** Plays a record again, and tells how it differs. */
export async function replay(file: string, target: string, options: ReplayOptions): Promise<void> {
  const terminal = processTerminal();
  assertEpisodeOptions(options);
  const secrets = readSecrets(options.secret);
  const record = await readEpisode(file).catch((thrown: unknown) => {
    throw toRecordMisuse(thrown);
  });
  const came = await withServer(target, (server) => replayEpisode(server, record, { ...options, secrets }));
  const { environment, choice, played, recorded, differences } = came;
  if (options.json === true) terminal.printJson({ environment, ...choice, played, recorded, differences });
  else {
    terminal.print(terminal.colors.bold(toSafeText(`${environment}: ${describeChoice(choice)}`)));
    for (const line of toText(came, terminal.colors)) terminal.print(line);
  }
  if (differences.length > 0) throw new Failure(toSafeText(`the episode differs from ${file}`));
}
