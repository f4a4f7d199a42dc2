import type { SessionRef } from './host.ts';
import { isNobody } from './identity.ts';

// No identity has it (the server's auth sees to that), so no identity and id can be made to look like another pair.
const SEPARATOR = '\n';

/** One text for a session: its owner's alone, so that the same id of somebody else is another one. */
export function keyOf({ identity, sid }: SessionRef): string {
  return isNobody(identity) ? sid : `${identity}${SEPARATOR}${sid}`;
}
