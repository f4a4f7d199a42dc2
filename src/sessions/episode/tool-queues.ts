/** Work that calls `leave` once, when it is over. */
export type QueuedWork = (leave: () => void) => void;

interface Queue {
  busy: boolean;
  draining: boolean;
  readonly waiting: QueuedWork[];
}

/** Runs work one at a time within a queue, in the order it came; queues do not wait for each other. */
export class ToolQueues {
  readonly #queues = new Map<string, Queue>();

  /** Whether work could start in a queue at once. */
  isFree(name: string): boolean {
    const queue = this.#queues.get(name);
    return queue === undefined || (!queue.busy && !queue.draining && queue.waiting.length === 0);
  }

  /** Takes a free queue for work that has begun; the returned function leaves it. */
  take(name: string): () => void {
    return occupy(this.#queue(name));
  }

  /** Starts the work now if its queue is free, otherwise when its turn comes; the returned function takes it out again while it waits. */
  enter(name: string, work: QueuedWork): () => void {
    const queue = this.#queue(name);
    queue.waiting.push(work);
    drain(queue);
    return () => {
      const at = queue.waiting.indexOf(work);
      if (at !== -1) queue.waiting.splice(at, 1);
    };
  }

  #queue(name: string): Queue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = { busy: false, draining: false, waiting: [] };
      this.#queues.set(name, queue);
    }
    return queue;
  }
}

// A loop rather than a chain of calls: a thousand queued calls that end at once must not fill the stack.
function drain(queue: Queue): void {
  if (queue.draining) return;
  queue.draining = true;
  while (!queue.busy) {
    const work = queue.waiting.shift();
    if (work === undefined) break;
    work(occupy(queue));
  }
  queue.draining = false;
}

function occupy(queue: Queue): () => void {
  queue.busy = true;
  return () => {
    queue.busy = false;
    drain(queue);
  };
}
