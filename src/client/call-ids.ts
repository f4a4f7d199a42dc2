/** An id of the client's own for a call over ORS: never of the form that servers make. */
export function newTaskId(): string {
  return `call-${newCallId().replaceAll('-', '')}`;
}

/** An id for a call over OXP: a random UUID, as the standard suggests. */
export function newCallId(): string {
  // A page that came over plain HTTP does not have the first, which is many times as fast.
  return (crypto as Partial<Crypto>).randomUUID?.() ?? uuidOf(crypto.getRandomValues(new Uint8Array(16)));
}

function uuidOf(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += (byte + 0x100).toString(16).slice(1);
  return hex;
}
