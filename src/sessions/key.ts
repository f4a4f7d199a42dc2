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

/** The key of a call outside sessions: its caller's alone, whoever else uses the same id. */
export function toCallKey(caller: string, callId: string): string {
  return `${caller}${SEPARATOR}${callId}`;
}

/** Whose key it is; empty where nobody is known. Up to the first separator: an id may have more of them in it. */
export function callerOf(key: string): string {
  return key.slice(0, key.indexOf(SEPARATOR));
}
