import { ToolError } from './errors.ts';
import type { ToolContext, ToolRequirements } from './tool.ts';

/**
 * Fails the call of a tool whose caller has not given what it requires. OXP refuses such a call beforehand; a session has
 * only its secrets to give, and the types promise an author that the rest is there.
 */
export function assertGiven(
  { secrets = [], userId = false, authorization = [] }: ToolRequirements,
  context: ToolContext,
): void {
  const missing = [
    ...secrets.filter((name) => !Object.hasOwn(context.secrets, name)).map((name) => `the secret ${name}`),
    ...authorization
      .filter(({ id }) => !Object.hasOwn(context.authorization ?? {}, id))
      .map(({ id }) => `the authorization ${id}`),
    ...(userId && context.userId === undefined ? ['a user id'] : []),
  ];
  if (missing.length > 0) throw new ToolError(`the caller did not provide ${missing.join(', ')}`);
}
