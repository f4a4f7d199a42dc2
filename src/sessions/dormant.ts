/** A session of an earlier server that nobody has asked for yet. */
export class Dormant {
  /** The number of its last record. */
  readonly lastSeq: number;
  readonly lastActive: number;

  constructor(lastSeq: number, lastActive: number) {
    this.lastSeq = lastSeq;
    this.lastActive = lastActive;
  }
}
