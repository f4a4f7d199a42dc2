import type { CatalogTool } from '../../core/index.ts';
import type { CallToolRequest, MissingRequirements } from '../../protocol/index.ts';
import { OxpError } from './errors.ts';

/** What a caller hands over, by name. */
export interface GivenRequirements {
  readonly secrets: Readonly<Record<string, string>>;
  readonly authorization: Readonly<Record<string, string>>;
  readonly userId: string | undefined;
}

/** What the request hands over, if it is all that the tool needs; otherwise an error that lists what is missing. */
export function readRequirements(
  { requirements, definition }: CatalogTool,
  { context = {} }: CallToolRequest,
): GivenRequirements {
  const secrets = Object.fromEntries((context.secrets ?? []).map(({ id, value }) => [id, value]));
  const authorization = Object.fromEntries((context.authorization ?? []).map(({ id, token }) => [id, token]));
  const missing: MissingRequirements = {};
  const lackingSecrets = (requirements.secrets ?? []).filter((id) => !Object.hasOwn(secrets, id));
  const lackingAuthorization = (requirements.authorization ?? []).filter(({ id }) => !Object.hasOwn(authorization, id));
  if (lackingAuthorization.length > 0) missing.authorization = lackingAuthorization.map(({ id, url }) => ({ id, url }));
  if (lackingSecrets.length > 0) missing.secrets = lackingSecrets.map((id) => ({ id }));
  if (requirements.userId && context.user_id === undefined) missing.user_id = true;
  if (Object.keys(missing).length > 0) {
    throw new OxpError(`Tool '${definition.name}' needs more than was given`, {
      developerMessage: `${definition.id} lacks ${Object.keys(missing).join(', ')} in the request's context`,
      missing,
    });
  }
  return { secrets, authorization, userId: context.user_id };
}
