import { type OxpClient, OxpServerError, OxpToolError, OxpValidationError } from '../../client/index.ts';
import type { JsonObject } from '../../protocol/index.ts';
import { unknownName } from '../shared/explain.ts';
import { misuse } from '../shared/failure.ts';
import { withoutForeignFrames } from '../shared/location.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { readVariable } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import type { OpenServer } from '../shared/with-server.ts';
import { CallFailure, failureText } from './call-failure.ts';
import type { ReadyCall } from './in-episode.ts';
import type { CallOptions } from './options.ts';

/** Calls a tool of a toolkit, outside of any episode. */
export async function callInToolkit(server: OpenServer, ready: ReadyCall, options: CallOptions): Promise<void> {
  const terminal = processTerminal();
  const { oxp, signal } = server;
  const { tool, readFor, secrets } = ready;
  const authorization = Object.fromEntries((options.token ?? []).map(toToken));
  const input = await readFor(() => schemaOf(oxp, tool, signal));
  const context = { secrets, authorization, userId: options.user };
  try {
    // Once: the caller is a person, who sees the advice of a tool that may be called again.
    const calling = oxp.call(tool, input, { signal, context, maxToolRetries: 0 });
    const { value, durationMs, callId } = await waitFor(`waiting for ${toSafeText(tool)}`, calling);
    if (options.json === true) terminal.printJson({ value, callId, durationMs });
    else terminal.print(toSafeText(typeof value === 'string' ? value : JSON.stringify(value, null, 2)));
  } catch (thrown) {
    const failure = toToolFailure(thrown);
    if (failure === undefined) throw await toKnownTools(thrown, server, tool);
    throw new CallFailure(toSafeText(toText(failure)), failure);
  }
}

/** What a tool, or the server for it, says is wrong with a call. */
interface ToolFailure {
  readonly message: string;
  readonly reason: 'tool_error' | 'input_validation' | 'missing_requirements';
  readonly details: readonly string[];
}

function toToolFailure(thrown: unknown): ToolFailure | undefined {
  if (thrown instanceof OxpToolError) {
    const { message, developerMessage, additionalPromptContent, canRetry } = thrown;
    const details = [
      developerMessage,
      additionalPromptContent,
      canRetry ? 'The same call may succeed later.' : undefined,
    ];
    return { message, reason: 'tool_error', details: details.filter((each) => each !== undefined) };
  }
  if (thrown instanceof OxpValidationError) {
    const details = Object.entries(thrown.parameterErrors).map(([name, problem]) => `${name}: ${problem}`);
    return { message: thrown.message, reason: 'input_validation', details };
  }
  if (!(thrown instanceof OxpServerError) || thrown.missingRequirements === undefined) return undefined;
  const { secrets, authorization, userId } = thrown.missingRequirements;
  const details = [
    ...secrets.map((id) => `Set the environment variable ${id}, and add --secret ${id}`),
    ...authorization.map(({ id, url }) => `Get a token at ${url}, and add --token ${id}=VARIABLE`),
    ...(userId ? ['Add --user ID'] : []),
  ];
  return { message: thrown.message, reason: 'missing_requirements', details };
}

function toText({ message, reason, details }: ToolFailure): string {
  return [failureText(message, reason), ...details.map((detail) => `  ${withoutForeignFrames(detail)}`)].join('\n');
}

async function schemaOf(oxp: OxpClient, tool: string, signal: AbortSignal): Promise<JsonObject> {
  const tools = await oxp.tools({ signal });
  const [name, version = ''] = tool.split('@');
  // The newest last, as servers list them; a version may be named by its first number.
  const found = tools.findLast(({ id }) => {
    const [listedName, listedVersion = ''] = id.split('@');
    return listedName === name && (version === '' || `${listedVersion}.`.startsWith(`${version}.`));
  });
  if (found === undefined)
    throw unknownName(
      'tool',
      tool,
      tools.map(({ id }) => id),
    );
  return found.input_schema;
}

/** A refusal that may be about the name: with the names that there are, if it is not among them. */
async function toKnownTools(thrown: unknown, { oxp, signal }: OpenServer, tool: string): Promise<unknown> {
  if (!(thrown instanceof OxpServerError) || thrown.status === 401) return thrown;
  const ids = (await oxp.tools({ signal })).map(({ id }) => id);
  const isKnown = ids.some((id) => id === tool || id.startsWith(`${tool}@`) || id.startsWith(`${tool}.`));
  return isKnown ? thrown : unknownName('tool', tool, ids);
}

function toToken(text: string): [id: string, token: string] {
  const [, id, variable] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (id === undefined || variable === undefined)
    throw misuse(`--token takes id=VARIABLE, the name of an environment variable, not '${text}'`);
  return [id, readVariable(variable)];
}
