import type { EnvironmentClient } from '../../client/index.ts';
import { type Chosen, chooseTask, type EpisodeOptions, findEnvironment, findSplit } from '../shared/episode.ts';
import { environmentsOf } from '../shared/protocols.ts';
import { toSafeText } from '../shared/safe-text.ts';
import type { OpenServer } from '../shared/with-server.ts';
import type { Asker } from './asker.ts';

/** Which episode of which environment. */
export interface ChosenEpisode {
  readonly environment: EnvironmentClient;
  readonly choice: Chosen;
}

/** Finds the episode that was meant, and asks for what was not said and is not the only one. */
export async function chooseEpisode(server: OpenServer, options: EpisodeOptions, asker: Asker): Promise<ChosenEpisode> {
  const { signal } = server;
  const names = options.environment === undefined ? ((await environmentsOf(server)) ?? []) : [];
  const name = names.length > 1 ? await chooseName(asker, 'Which environment?', names) : options.environment;
  const environment = await findEnvironment(server, name);
  if (options.task !== undefined) return { environment, choice: await chooseTask(environment, options, signal) };
  const split = await chooseSplit(environment, options, { asker, signal });
  const index = options.index ?? (await chooseIndex(environment, split, { asker, signal }));
  return { environment, choice: { split, index } };
}

interface Asking {
  readonly asker: Asker;
  readonly signal: AbortSignal;
}

async function chooseSplit(
  environment: EnvironmentClient,
  { split }: EpisodeOptions,
  { asker, signal }: Asking,
): Promise<string> {
  if (split !== undefined) return findSplit(environment, split, signal);
  const names = (await environment.splits({ signal })).map(({ name }) => name);
  return names.length > 1 ? chooseName(asker, 'Which split?', names) : findSplit(environment, undefined, signal);
}

async function chooseIndex(environment: EnvironmentClient, split: string, { asker, signal }: Asking): Promise<number> {
  const count = await environment.count(split, { signal });
  if (count <= 1) return 0;
  const answer = await asker.type({
    message: `Which task? (0 to ${count - 1})`,
    hint: 'Enter for 0',
    whenEmpty: '0',
    check: (text) =>
      text === '' || (/^\d+$/.test(text) && Number(text) < count) ? undefined : `A number from 0 to ${count - 1}`,
  });
  return Number(answer);
}

function chooseName(asker: Asker, message: string, names: readonly string[]): Promise<string> {
  return asker.choose({ message, choices: names.map((name) => ({ value: name, label: toSafeText(name) })) });
}
