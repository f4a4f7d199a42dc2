/** What a program has asked for and has no answer to yet. */
export class Asked {
  readonly #waiting = new Set<Promise<unknown>>();

  /** Follows an answer on its way; the promise is for the program. */
  add<Value>(work: Promise<Value>): Promise<Value> {
    const answer: Promise<Value> = work.finally(() => this.#waiting.delete(answer));
    this.#waiting.add(answer);
    return answer;
  }

  /** Excuses those who await none of it: how it ends is no unhandled rejection. Those who do await it hear of it as ever. */
  excuse(): void {
    for (const answer of this.#waiting) answer.catch(() => {});
  }
}
