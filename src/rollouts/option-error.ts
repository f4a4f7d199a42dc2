/** A run cannot be what was asked for; the message says what to change. Nothing was done. */
export class RunOptionError extends Error {
  override readonly name = 'RunOptionError';
}
