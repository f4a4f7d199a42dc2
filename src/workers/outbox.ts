/** Sends what comes within a turn as one array: each message between processes costs more than what is in it. */
export class Outbox<Message> {
  readonly #send: (messages: Message[]) => void;
  #waiting: Message[] = [];
  /** How often it was emptied. What was put there since the last time may still change. */
  turn = 0;

  constructor(send: (messages: Message[]) => void) {
    this.#send = send;
  }

  put(message: Message): void {
    if (this.#waiting.length === 0) setImmediate(this.flush);
    this.#waiting.push(message);
  }

  readonly flush = (): void => {
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.turn += 1;
    this.#send(messages);
  };
}
