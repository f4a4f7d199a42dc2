import { hash, randomBytes } from 'node:crypto';

const HALF = 16;

/**
 * Makes the id of a call for which its client chose none. It has the form of all ids that servers make, and its second half says for which
 * session it is: a node that has never heard of it knows that it was told to a client, and may be begun.
 */
export function newTaskId(key: string): string {
  const half = randomBytes(HALF / 2).toString('hex');
  return half + markOf(half, key);
}

/** Whether a node of a cluster made the id, for this session. */
export function isMadeFor(id: string, key: string): boolean {
  return id.length === 2 * HALF && id.endsWith(markOf(id.slice(0, HALF), key));
}

function markOf(half: string, key: string): string {
  return hash('sha256', `${half}\n${key}`).slice(0, HALF);
}
