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

  /** Whether work could start in a lane at once. */
  isFree(name: string): boolean {
    const lane = this.#lanes.get(name);
    return lane === undefined || (!lane.busy && !lane.draining && lane.waiting.length === 0);
  }

  /** Takes a free lane for work that has begun; the returned function leaves it. */
  take(name: string): () => void {
    return occupy(this.#lane(name));
  }

  /** Starts the work now if its lane is free, otherwise when its turn comes. */
  enter(name: string, work: LaneWork): void {
    const lane = this.#lane(name);
    lane.waiting.push(work);
    drain(lane);
  }

  #lane(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { busy: false, draining: false, waiting: [] };
      this.#lanes.set(name, lane);
    }
    return lane;
  }
}

// A loop rather than a chain of calls: a thousand queued calls that end at once must not fill the stack.
function drain(lane: Lane): void {
  if (lane.draining) return;
  lane.draining = true;
  while (!lane.busy) {
    const work = lane.waiting.shift();
    if (work === undefined) break;
    work(occupy(lane));
  }
  lane.draining = false;
}

function occupy(lane: Lane): () => void {
  lane.busy = true;
  return () => {
    lane.busy = false;
    drain(lane);
  };
}
