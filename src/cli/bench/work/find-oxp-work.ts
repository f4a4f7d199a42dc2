import { ClientError, connectOxp, OxpServerError, type ToolDefinition } from '../../../client/index.ts';
import { unknownName } from '../../shared/explain.ts';
import { Failure, misuse } from '../../shared/failure.ts';
import { toEndpoint } from '../load/endpoint.ts';
import type { BenchServer } from '../servers/open.ts';
import { makeInput } from './make-input.ts';
import { oxpCalls } from './oxp-calls.ts';
import { firstCallFailed, notesOn, type Work, type WorkChoice } from './work.ts';

/** Chooses a tool and tries it once. */
export async function findOxpWork(server: BenchServer, choice: WorkChoice): Promise<Work> {
  if (choice.unit === 'episodes') throw misuse('--episodes needs an environment: tools of OXP have no episodes');
  const { secrets, timeoutMs, signal } = choice;
  const client = connectOxp(server.url, { apiKey: server.apiKey, retry: { attempts: 3, pauseMs: 100 } });
  const definition = chooseTool(await client.tools({ timeoutMs, signal }), choice.tool);
  const tool = choice.tool ?? definition.id;
  const input = choice.input ?? makeInput(tool, definition.input_schema);
  await client
    .call(tool, input as never, { timeoutMs, signal, context: { secrets }, maxToolRetries: 0 })
    .catch((thrown: unknown) => {
      throw firstCallFailed(tool, input, withNeeds(thrown));
    });
  const endpoint = toEndpoint(server.url, server.apiKey === undefined ? {} : { 'OXP-API-Key': server.apiKey });
  return {
    protocol: 'OXP',
    unit: 'calls',
    tool,
    input,
    notes: notesOn(choice, tool, input),
    endpoint,
    createPlayer: (lane) => oxpCalls({ endpoint, tool, input, secrets }, lane),
  };
}

function chooseTool(tools: readonly ToolDefinition[], wanted: string | undefined): ToolDefinition {
  // Not one that wants secrets or a user, which a load does not have.
  const chosen =
    wanted === undefined
      ? (tools.find(({ requirements }) => requirements === undefined) ?? tools[0])
      : tools.find(({ id }) => id === wanted || id.startsWith(`${wanted}@`) || id.startsWith(`${wanted}.`));
  if (chosen !== undefined) return chosen;
  if (wanted === undefined) throw new Failure('the server has no tools, so there is nothing to call');
  throw unknownName(
    'tool',
    wanted,
    tools.map(({ id }) => id),
  );
}

// Of what a tool may require, a load can send secrets alone.
function withNeeds(thrown: unknown): unknown {
  const secrets = thrown instanceof OxpServerError ? (thrown.missingRequirements?.secrets ?? []) : [];
  if (!(thrown instanceof OxpServerError) || secrets.length === 0) return thrown;
  return new ClientError(`${thrown.message}. Add --secret ${secrets.join(' --secret ')}`);
}
