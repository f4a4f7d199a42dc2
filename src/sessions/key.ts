// No identity has it (the server's auth sees to that), so no owner and id can be made to look like another pair.
const SEPARATOR = '\n';

/** The key of a session: its owner's alone, so that the same id of somebody else is another session. */
export function toSessionKey(owner: string, sid: string): string {
  return owner === '' ? sid : `${owner}${SEPARATOR}${sid}`;
}

/** Who a key belongs to; empty where nobody is known. */
export function ownerOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf(SEPARATOR)));
}

/** The session id of a key, for messages. */
export function sidOf(key: string): string {
  return key.slice(key.lastIndexOf(SEPARATOR) + 1);
}
