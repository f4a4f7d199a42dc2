import { formatProblems } from '../../core/index.ts';
import { type McpResult, outputSchemaOf, toErrorResult, toValueResult, UnknownTool } from '../../mcp/index.ts';
import type { MissingRequirements } from '../../protocol/index.ts';
import type { CallEnding, CallFailure, ToolManifest } from '../../sessions/index.ts';
import { type ReturnErrors, reveal } from '../http/errors.ts';

/** How a call of a toolkit's tool ended, in the words of MCP. Throws `UnknownTool`. */
export function toToolkitResult(ending: CallEnding, tool: ToolManifest, returnErrors: ReturnErrors): McpResult {
  if (ending.kind === 'returned')
    return toValueResult(JSON.parse(ending.json), outputSchemaOf(tool.definition), ending.json);
  const { failure } = ending;
  if (failure.code === 'unknown_tool') throw new UnknownTool(failure.message);
  const problems = ending.kind === 'refused' ? ending.problems : undefined;
  if (problems !== undefined) return toErrorResult(`Tool input validation error: ${formatProblems(problems)}`);
  if (failure.missing !== undefined) return toErrorResult(`${failure.message}: ${toWords(failure.missing)}`);
  return toErrorResult(toText(failure, ending.kind === 'failed' && ending.outcome === 'timeout', returnErrors));
}

function toText(
  { tool, message, promptContent, thrown }: CallFailure,
  isLate: boolean,
  returnErrors: ReturnErrors,
): string {
  const said = isLate ? `Tool '${tool}' ${message}` : message;
  const revealed = thrown === undefined ? undefined : reveal(thrown, returnErrors);
  return [said, revealed, promptContent].filter((part) => part !== undefined).join('\n');
}

/** What a caller has to configure, and where it goes. */
function toWords({ secrets = [], authorization = [], user_id: needsUser }: MissingRequirements): string {
  return [
    ...secrets.map(({ id }) => `the secret ${id} (header X-Secrets)`),
    ...authorization.map(({ id, url }) => `the authorization ${id}, granted at ${url} (header X-Authorizations)`),
    ...(needsUser ? ['a user id (header X-User-ID)'] : []),
  ].join('; ');
}
