/** An id of the client's own for a call over ORS: never of the form that servers make. */
export function newTaskId(): string {
  return `call-${toHex(randomBytes())}`;
}

/** An id for a call over OXP: a random UUID, as the standard suggests. */
export function newCallId(): string {
  const bytes = randomBytes();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// Not randomUUID: a page that came over plain HTTP does not have it.
function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(16));
}

function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += (byte + 0x100).toString(16).slice(1);
  return hex;
}
