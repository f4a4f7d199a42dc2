/** Work that calls `leave` once, when it is over. */
export type LaneWork = (leave: () => void) => void;

interface Lane {
  busy: boolean;
  draining: boolean;
  readonly waiting: LaneWork[];
}

/** Runs work one at a time within a lane, in the order it came; lanes do not wait for each other. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** Starts the work now if its lane is free, otherwise when its turn comes. */
  enter(name: string, work: LaneWork): void {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { busy: false, draining: false, waiting: [] };
      this.#lanes.set(name, lane);
    }
    // Most find it free, and need no place in the queue.
    if (!lane.busy && !lane.draining && lane.waiting.length === 0) return begin(lane, work);
    lane.waiting.push(work);
    drain(lane);
  }
}

// A loop rather than a chain of calls: a thousand queued calls that end at once must not fill the stack.
function drain(lane: Lane): void {
  if (lane.draining) return;
  lane.draining = true;
  while (!lane.busy) {
    const work = lane.waiting.shift();
    if (work === undefined) break;
    begin(lane, work);
  }
  lane.draining = false;
}

function begin(lane: Lane, work: LaneWork): void {
  lane.busy = true;
  work(() => {
    lane.busy = false;
    drain(lane);
  });
}
