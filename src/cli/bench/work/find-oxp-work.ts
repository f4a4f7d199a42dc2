import { generateInput } from '../../../checking/index.ts';
import { connectOxp, OxpServerError, OxpValidationError, type ToolDefinition } from '../../../client/index.ts';
import { unknownName } from '../../shared/explain.ts';
import { Failure, misuse } from '../../shared/failure.ts';
import { toSafeText } from '../../shared/safe-text.ts';
import { toEndpoint } from '../load/endpoint.ts';
import type { BenchServer } from '../servers/open.ts';
import { oxpCalls } from './oxp-calls.ts';
import { notesOn, type Work, type WorkChoice } from './work.ts';

/** Chooses a tool and tries it once. */
export async function findOxpWork(server: BenchServer, choice: WorkChoice): Promise<Work> {
  if (choice.unit === 'episodes') throw misuse('--episodes needs an environment: tools of OXP have no episodes');
  const { timeoutMs, signal } = choice;
  const client = connectOxp(server.url, { apiKey: server.apiKey, retry: { attempts: 3, pauseMs: 100 } });
  const definition = chooseTool(await client.tools({ timeoutMs, signal }), choice.tool);
  const tool = choice.tool ?? definition.id;
  const input = choice.input ?? generateInput(definition.input_schema) ?? {};
  const failed = await client
    .call(tool, input as never, { timeoutMs, signal, maxToolRetries: 0 })
    .then(() => undefined, toComplaint(tool, input));
  const endpoint = toEndpoint(server.url, server.apiKey === undefined ? {} : { 'OXP-API-Key': server.apiKey });
  return {
    protocol: 'OXP',
    unit: 'calls',
    tool,
    input,
    notes: [
      ...notesOn(choice, tool, input),
      ...(failed === undefined ? [] : [`A first call failed: ${toSafeText(failed)}`]),
    ],
    endpoint,
    createPlayer: (lane) => oxpCalls({ endpoint, tool, input }, lane),
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

/** Turns the failure of the first call into words, or throws it if every other call would fail in the same way. */
function toComplaint(tool: string, input: unknown): (thrown: unknown) => string {
  return (thrown) => {
    if (thrown instanceof OxpValidationError)
      throw new Failure(
        `the tool '${toSafeText(tool)}' refuses the input ${JSON.stringify(input)}: ${toSafeText(thrown.message)}. ` +
          `Give a good one: --input '{...}'`,
      );
    if (thrown instanceof OxpServerError)
      throw new Failure(
        `the server refuses calls of '${toSafeText(tool)}': ${toSafeText(thrown.message)}. Choose another with --tool`,
      );
    return (thrown as Error).message;
  };
}
