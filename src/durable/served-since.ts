/** For how long servers have run since a time, both in ms: while none did, nobody could ask for anything, and nothing grows old. */
export type ServedSince = (at: number) => number;

/** The same where there was always one. */
export const ALWAYS_SERVED: ServedSince = (at) => Math.max(0, Date.now() - at);
