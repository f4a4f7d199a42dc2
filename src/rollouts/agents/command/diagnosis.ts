import type { ProgramEnd } from './program.ts';

/** What was seen of a program at its address. */
export class Sightings {
  readonly #methods = new Set<string>();
  calls = 0;

  note(method: string): void {
    this.#methods.add(method);
    if (method === 'tools/call') this.calls += 1;
  }

  get hasConnected(): boolean {
    return this.#methods.size > 0;
  }

  /** Why an episode is not finished, as far as it can be seen from here. */
  get diagnosis(): string {
    if (!this.hasConnected) return 'it never connected';
    if (this.calls === 0)
      return this.#methods.has('tools/list')
        ? 'it listed the tools, and never called one'
        : 'it connected, and never listed the tools';
    return `it made ${this.calls} ${this.calls === 1 ? 'call' : 'calls'}, and did not finish the episode`;
  }
}

/** How a program ended, in words. */
export function endOf({ code, signal }: ProgramEnd): string {
  return signal === null ? `the command exited with ${code}` : `the command was ended by ${signal}`;
}
