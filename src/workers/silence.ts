// One that answers at all answers a ping sooner, also on a machine that is busy.
const SILENT_MS = 400;

/** Knows from pings and their answers whether a worker is blocked, and since when. */
export class Silence {
  /** When the ping was sent that has had no answer, and since when that counts. */
  #pinged: { readonly at: number; since: number } | undefined;
  /** When the last ping was sent that has had its answer. */
  answeredAt = 0;

  get isPinged(): boolean {
    return this.#pinged !== undefined;
  }

  /** When the ping was sent that has had no answer for too long; undefined if the worker answers. */
  sinceOf(now: number): number | undefined {
    return this.lastsMs(now) > SILENT_MS ? this.#pinged?.at : undefined;
  }

  /** For how long it has been waited for an answer. */
  lastsMs(now: number): number {
    return this.#pinged === undefined ? 0 : now - this.#pinged.since;
  }

  pinged(now: number): void {
    this.#pinged = { at: now, since: now };
  }

  /** Something came of the worker. */
  broken(): void {
    this.#pinged = undefined;
  }

  /** Counts the time from now on: the server itself has been away. */
  forgive(now: number): void {
    if (this.#pinged !== undefined) this.#pinged.since = now;
  }
}
