/** A record cannot be read or written. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  /** Which file. */
  readonly file: string;

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file} ${problem}`, options);
    this.file = file;
  }
}
