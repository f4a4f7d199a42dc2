import { RunState, rescore } from '../../rollouts/index.ts';
import { Failure } from '../shared/failure.ts';
import { progressBar } from '../shared/progress.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { readSecrets } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { withServer } from '../shared/with-server.ts';
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
  const result = await withServer(target, async ({ url, apiKey, signal }) => {
    using bar = progressBar('rescore', counted);
    let done = 0;
    return rescore(folder, {
      ...{ target: url, connect: { apiKey }, secrets: readSecrets(secret), concurrency, signal },
      onEpisode(rescored) {
        done += 1;
        bar.advance(done);
        if (json) terminal.printJson(rescored);
        else
          for (const difference of rescored.differences)
            terminal.print(toSafeText(`task ${rescored.index}, episode ${rescored.episode}: ${difference}`));
      },
    });
  });
  const { episodes, valid, differing, coverage, meanBefore, meanNow } = result;
  if (json) terminal.printJson(result);
  else
    terminal.print(
      `${episodes} episodes scored again, ${differing} differ. Mean reward ${toText(meanNow)}, recorded ${toText(meanBefore)}. ` +
        `Coverage ${(100 * coverage).toFixed(1)} % (${valid} of ${episodes} episodes count both times).`,
    );
  if (differing > 0) throw new Failure(`${differing} of ${episodes} episodes differ from what was recorded`);
}

function toText(mean: number | null): string {
  return mean === null ? '-' : mean.toFixed(4);
}
