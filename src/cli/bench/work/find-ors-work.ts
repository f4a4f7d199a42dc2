import { generateInput } from '../../../checking/index.ts';
import { type Client, connect, ToolCallError } from '../../../client/index.ts';
import type { ToolSpec } from '../../../protocol/index.ts';
import { unknownName } from '../../shared/explain.ts';
import { environmentsOf } from '../../shared/faces.ts';
import { Failure } from '../../shared/failure.ts';
import { toSafeText } from '../../shared/safe-text.ts';
import { toEndpoint } from '../load/endpoint.ts';
import type { BenchServer } from '../servers/open.ts';
import { orsCalls } from './ors-calls.ts';
import type { OrsWork } from './ors-episode.ts';
import { orsEpisodes } from './ors-episodes.ts';
import { notesOn, type Work, type WorkChoice } from './work.ts';

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
  const { timeoutMs, signal, unit, steps } = choice;
  const environment = choice.environment?.toLowerCase() ?? (environments[0] as string);
  if (!environments.some((name) => name.toLowerCase() === environment))
    throw unknownName('environment', environment, environments);
  const client = connectTo(server).environment(environment);
  const split = await chooseSplit(client, choice);
  const count = choice.index === undefined && unit === 'episodes' ? await countTasks(client, split, choice) : 1;
  const index = choice.index ?? 0;
  await using session = await client.session({ split, index, timeoutMs, signal });
  const { name: tool, input_schema: schema } = chooseTool(await session.tools({ timeoutMs, signal }), choice.tool);
  const input = choice.input ?? generateInput(schema) ?? {};
  const tried = await session.call(tool, input, { timeoutMs, signal }).catch((thrown: unknown) => {
    if (!(thrown instanceof ToolCallError) || !isRefusal(thrown)) return thrown as Error;
    throw new Failure(
      `the tool '${toSafeText(tool)}' refuses the input ${JSON.stringify(input)}: ${toSafeText(thrown.message)}. ` +
        `Give a good one: --input '{...}'`,
    );
  });
  const failed = tried instanceof Error ? [`A first call failed: ${toSafeText(tried.message)}`] : [];
  const ends = 'finished' in tried && tried.finished && unit === 'calls' ? [ENDS] : [];

  const endpoint = toEndpoint(server.url, server.apiKey === undefined ? {} : { 'X-API-Key': server.apiKey });
  let episodes = 0;
  const nextIndex = () => index + (episodes++ % count);
  const work: OrsWork = { endpoint, environment, split, nextIndex, tool, input };
  return {
    protocol: 'ORS',
    unit,
    environment,
    split,
    tool,
    input,
    notes: [...notesOn(choice, tool, input), ...failed, ...ends],
    endpoint,
    createPlayer: (lane) => (unit === 'calls' ? orsCalls(work, lane) : orsEpisodes({ ...work, steps }, lane)),
  };
}

const ENDS =
  'This call ends its episode, so that each call is followed by a new episode, whose time is not in the latencies. ' +
  '--episodes measures the whole.';

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

// What the tool itself reports is a result to be measured; what it never saw is not.
function isRefusal({ reason }: ToolCallError): boolean {
  return reason !== 'tool_error' && reason !== 'timeout' && reason !== 'episode_finished';
}
