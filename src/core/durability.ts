/**
 * What of an episode survives the process that runs it. `replay`: setup and its calls are run again, and give the same results;
 * `snapshot`: its state is saved after each call; `none`: nothing, and the episode is lost.
 */
export type Durability = (typeof DURABILITIES)[number];

/** All of them. */
export const DURABILITIES = ['replay', 'snapshot', 'none'] as const;

/**
 * What a call of a tool does besides its result, which says whether it may be run again after a crash. `state`: it changes only the
 * state of its episode, which is lost with it; `idempotent`: the second run under the same `callId` changes nothing more;
 * `external`: it is never run twice.
 */
export type Effects = (typeof EFFECTS)[number];

/** All of them. */
export const EFFECTS = ['state', 'idempotent', 'external'] as const;
