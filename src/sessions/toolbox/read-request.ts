import { isTooDeep, ToolIdError, type ToolIndex } from '../../core/index.ts';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import { type CallEnding, type CallFailure, refused } from '../call-ending.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type GivenRequirements, missingOf, readGiven } from './requirements.ts';
import { isVisible, type ToolManifest, type ToolRequest } from './tool-host.ts';

/** A request whose tool is found and has all that it needs. */
export interface ReadyRequest {
  readonly tool: ToolManifest;
  readonly given: GivenRequirements;
  readonly input: JsonObject;
  /** Empty where there can be no repeat. */
  readonly fingerprint: string;
}

/** A request that cannot be started, and of which tool, if that is known. */
export interface RefusedRequest {
  readonly tool: ToolManifest | undefined;
  readonly ending: CallEnding;
}

/** Reads a request; what can be wrong is checked in the order of the protocol: tool, requirements, input. */
export function readRequest(request: ToolRequest, index: ToolIndex<ToolManifest>): ReadyRequest | RefusedRequest {
  const tool = findTool(request, index);
  if ('ending' in tool) return tool;
  const { input = {}, callId } = request;
  const given = readGiven(request.context);
  const failure = missingFrom(tool, given);
  if (failure !== undefined) return { tool, ending: refused(failure) };
  // Said here, because a tool without parameters would take anything.
  if (!isObject(input)) return { tool, ending: refusedInput('Must be an object') };
  if (callId === undefined) return { tool, given, input: input as JsonObject, fingerprint: '' };
  if (isTooDeep(input)) return { tool, ending: refusedInput('Is nested too deeply') };
  const asked = { toolId: tool.definition.id, userId: given.userId, input: input as JsonObject };
  return { tool, given, input: asked.input, fingerprint: fingerprintOf(asked) };
}

function findTool({ toolId, scopes }: ToolRequest, index: ToolIndex<ToolManifest>): ToolManifest | RefusedRequest {
  try {
    return index.resolve(toolId, (each) => isVisible(scopes, each));
  } catch (thrown) {
    if (!(thrown instanceof ToolIdError)) throw thrown;
    const { code, message, developerMessage } = thrown;
    return { tool: undefined, ending: refused({ code, message, developerMessage }) };
  }
}

function missingFrom({ requirements, definition }: ToolManifest, given: GivenRequirements): CallFailure | undefined {
  const missing = missingOf(requirements, given);
  if (missing === undefined) return undefined;
  const { id, name } = definition;
  const developerMessage = `${id} requires ${Object.keys(missing).join(', ')} in the request's context`;
  return {
    code: 'missing_requirements',
    message: `Tool '${name}' is missing what it requires`,
    developerMessage,
    missing,
  };
}

function refusedInput(message: string): CallEnding {
  return refused({ code: 'invalid_input', message }, [{ path: [], message }]);
}
