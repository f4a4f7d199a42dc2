import { type Bus, type BusListener, NoAnswer, NoResponders } from '../../src/cluster/index.ts';

/** A network in this process: messages are copied as JSON, and arrive in a later turn. */
export class MemoryNetwork {
  readonly #listeners = new Map<string, Set<BusListener>>();

  /** How one node sees it. */
  bus(): Bus {
    return {
      publish: (subject, message) => this.#deliver(subject, message, () => {}),
      subscribe: (subject, on) => {
        const listeners = this.#listeners.get(subject) ?? new Set();
        this.#listeners.set(subject, listeners.add(on));
        return () => void listeners.delete(on);
      },
      request: (subject, message, timeoutMs) =>
        new Promise((resolve, reject) => {
          if (!this.#listeners.get(subject)?.size) return reject(new NoResponders(subject));
          const timer = setTimeout(() => reject(new NoAnswer(subject)), timeoutMs);
          this.#deliver(subject, message, (answer) => {
            clearTimeout(timer);
            setImmediate(() => resolve(copy(answer)));
          });
        }),
    };
  }

  #deliver(subject: string, message: unknown, reply: (answer: unknown) => void): void {
    const copied = copy(message);
    setImmediate(() => {
      for (const on of [...(this.#listeners.get(subject) ?? [])]) on(copied, reply);
    });
  }
}

function copy(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message));
}
