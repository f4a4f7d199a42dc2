import type { ToolRequirements } from '../../core/index.ts';
import type { MissingRequirements, WireCallContext } from '../../protocol/index.ts';

/** What a caller hands over, by name. */
export interface GivenRequirements {
  readonly secrets: Readonly<Record<string, string>>;
  readonly authorization: Readonly<Record<string, string>>;
  readonly userId: string | undefined;
}

// Most calls hand over nothing.
const NOTHING_GIVEN: GivenRequirements = { secrets: {}, authorization: {}, userId: undefined };

/** What the context of a call hands over. */
export function readGiven(context: WireCallContext | undefined): GivenRequirements {
  if (context === undefined) return NOTHING_GIVEN;
  return {
    secrets: Object.fromEntries((context.secrets ?? []).map(({ id, value }) => [id, value])),
    authorization: Object.fromEntries((context.authorization ?? []).map(({ id, token }) => [id, token])),
    userId: context.user_id,
  };
}

/** What a tool needs that was not handed over; undefined if nothing is missing. */
export function missingOf(needed: ToolRequirements, given: GivenRequirements): MissingRequirements | undefined {
  const missing: MissingRequirements = {};
  const secrets = (needed.secrets ?? []).filter((id) => !Object.hasOwn(given.secrets, id));
  const authorization = (needed.authorization ?? []).filter(({ id }) => !Object.hasOwn(given.authorization, id));
  if (authorization.length > 0) missing.authorization = authorization.map(({ id, url }) => ({ id, url }));
  if (secrets.length > 0) missing.secrets = secrets.map((id) => ({ id }));
  if (needed.userId && given.userId === undefined) missing.user_id = true;
  return Object.keys(missing).length === 0 ? undefined : missing;
}
