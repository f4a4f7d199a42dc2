/**
 * How nodes reach each other: messages that may get lost, in plain data that JSON can hold. Subjects are words with dots between them;
 * `*` stands for one word.
 */
export interface Bus {
  /** Sends to all that listen; nobody knows whether it arrives. */
  publish(subject: string, message: unknown): void;
  /** Listens, to one's own messages as well; `reply` answers a request, and does nothing for other messages. */
  subscribe(subject: string, on: BusListener): () => void;
  /** Sends to the one that listens. Rejects with `NoResponders` at once if nobody does, and with `NoAnswer` if none came in time. */
  request(subject: string, message: unknown, timeoutMs: number): Promise<unknown>;
}

/** Hears messages. */
export type BusListener = (message: unknown, reply: (answer: unknown) => void) => void;

/** Nobody listens to the subject of a request. */
export class NoResponders extends Error {
  override name = 'NoResponders';
}

/** No answer came in time. The request may have arrived. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}
