import { type Client, connect } from '../../../client/index.ts';
import type { ToolSpec } from '../../../protocol/index.ts';
import { unknownName } from '../../shared/explain.ts';
import { Failure } from '../../shared/failure.ts';
import { environmentsOf } from '../../shared/protocols.ts';
import { toSafeText } from '../../shared/safe-text.ts';
import { toEndpoint } from '../load/endpoint.ts';
import type { BenchServer } from '../servers/open.ts';
import { makeInput } from './make-input.ts';
import { orsCalls } from './ors-calls.ts';
import type { OrsWork } from './ors-episode.ts';
import { orsEpisodes } from './ors-episodes.ts';
import { firstCallFailed, notesOn, type Work, type WorkChoice } from './work.ts';

/** The names of a server's environments; none on a server of another protocol. */
export async function listEnvironments(server: BenchServer, choice: WorkChoice): Promise<readonly string[]> {
  return (await environmentsOf({ ors: connectTo(server), ...choice })) ?? [];
}

/** Chooses environment, task and tool, and tries the tool once. */
export async function findOrsWork(
  server: BenchServer,
  choice: WorkChoice,
  environments: readonly string[],
): Promise<Work> {
  const { secrets, timeoutMs, signal, unit, steps } = choice;
  const environment = choice.environment?.toLowerCase() ?? (environments[0] as string);
  if (!environments.some((name) => name.toLowerCase() === environment))
    throw unknownName('environment', environment, environments);
  const client = connectTo(server).environment(environment);
  const split = await chooseSplit(client, choice);
  const count = choice.index === undefined && unit === 'episodes' ? await countTasks(client, split, choice) : 1;
  const index = choice.index ?? 0;
  await using session = await client.session({ split, index, secrets, timeoutMs, signal });
  const { name: tool, input_schema: schema } = chooseTool(await session.tools({ timeoutMs, signal }), choice.tool);
  const input = choice.input ?? makeInput(tool, schema);
  const { finished } = await session.call(tool, input, { timeoutMs, signal }).catch((thrown: unknown) => {
    throw firstCallFailed(tool, input, thrown);
  });

  const endpoint = toEndpoint(server.url, server.apiKey === undefined ? {} : { 'X-API-Key': server.apiKey });
  let episodes = 0;
  const nextIndex = () => index + (episodes++ % count);
  const work: OrsWork = { endpoint, environment, split, nextIndex, tool, input, secrets };
  return {
    protocol: 'ORS',
    unit,
    environment,
    split,
    tool,
    input,
    notes: [...notesOn(choice, tool, input), ...(finished && unit === 'calls' ? [ENDS] : [])],
    endpoint,
    createPlayer: (lane) => (unit === 'calls' ? orsCalls(work, lane) : orsEpisodes({ ...work, steps }, lane)),
  };
}

const ENDS =
  'Each call ends its episode, so a new one is begun after it; that time is not part of the latency. ' +
  '--episodes measures whole episodes.';

type EnvironmentOf = ReturnType<Client['environment']>;

function connectTo({ url, apiKey = '' }: BenchServer): Client {
  return connect(url, { apiKey, retry: { attempts: 3, pauseMs: 100 } });
}

async function chooseSplit(client: EnvironmentOf, { split, timeoutMs, signal }: WorkChoice): Promise<string> {
  const splits = await client.splits({ timeoutMs, signal });
  const names = splits.map(({ name }) => name);
  if (split !== undefined && !names.includes(split)) throw unknownName('split', split, names);
  const chosen = split ?? splits.find(({ type }) => type === 'train')?.name ?? names[0];
  if (chosen === undefined) throw new Failure(`the environment '${client.name}' has no splits, and so no tasks`);
  return chosen;
}

async function countTasks(client: EnvironmentOf, split: string, { timeoutMs, signal }: WorkChoice): Promise<number> {
  const count = await client.count(split, { timeoutMs, signal });
  if (!(count > 0)) throw new Failure(`the split '${toSafeText(split)}' has no tasks`);
  return count;
}

function chooseTool(tools: readonly ToolSpec[], wanted: string | undefined): ToolSpec {
  const chosen = wanted === undefined ? tools[0] : tools.find(({ name }) => name === wanted);
  if (chosen !== undefined) return chosen;
  if (wanted === undefined) throw new Failure('the episode has no tools, so there is nothing to call');
  throw unknownName(
    'tool',
    wanted,
    tools.map(({ name }) => name),
  );
}
