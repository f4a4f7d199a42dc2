import { type RescoredEpisode, RunState, rescore } from '../../rollouts/index.ts';
import { Failure } from '../shared/failure.ts';
import { progressBar } from '../shared/progress.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { readSecrets } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { type OpenServer, withServer } from '../shared/with-server.ts';
import { refusing } from './refusals.ts';

/** What a person says of scoring again. */
export interface RescoreChoice {
  readonly concurrency?: number;
  readonly secret?: readonly string[];
  readonly json?: boolean;
}

/** Makes the recorded calls of a run again, and prints what differs. */
export async function rescoreRun(
  folder: string,
  target: string,
  { concurrency, secret, json = false }: RescoreChoice,
): Promise<void> {
  const terminal = processTerminal();
  const { valid: counted } = await refusing(() => RunState.read(folder));
  const differing: RescoredEpisode[] = [];
  const rescoreAt = async ({ url, apiKey, signal }: OpenServer) => {
    using bar = progressBar('rescore', counted);
    let done = 0;
    return rescore(folder, {
      ...{ target: url, connect: { apiKey }, secrets: readSecrets(secret), concurrency, signal },
      onEpisode(rescored) {
        done += 1;
        bar.advance(done);
        if (json) terminal.printJson(rescored);
        else if (rescored.differences.length > 0) differing.push(rescored);
      },
    });
  };
  // Of one that was interrupted, what is known so far.
  const result = await withServer(target, rescoreAt).finally(() => {
    for (const line of toLines(differing)) terminal.print(line);
  });
  const { episodes, valid, coverage, meanBefore, meanNow } = result;
  if (json) terminal.printJson(result);
  else
    terminal.print(
      `${episodes} episodes scored again, ${result.differing} differ. Mean reward ${toText(meanNow)}, recorded ${toText(meanBefore)}. ` +
        `Coverage ${(100 * coverage).toFixed(1)} % (${valid} of ${episodes} episodes count both times).`,
    );
  if (result.differing > 0)
    throw new Failure(`${result.differing} of ${episodes} episodes differ from what was recorded`);
}

/** In the order of the tasks: several are scored at a time, and end as they like. */
function toLines(episodes: readonly RescoredEpisode[]): string[] {
  return [...episodes]
    .sort((one, other) => one.index - other.index || one.episode - other.episode)
    .flatMap(({ index, episode, differences }) =>
      differences.map((difference) => toSafeText(`task ${index}, episode ${episode}: ${difference}`)),
    );
}

function toText(mean: number | null): string {
  return mean === null ? '-' : mean.toFixed(4);
}
