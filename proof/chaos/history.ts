import type { Answer, ClientEvent } from './events.ts';

type Told = ClientEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'at' | 'episode'> : never) : never;

/** What the clients of a run did and what came of it. */
export class History {
  readonly events: ClientEvent[] = [];
  readonly #tokens = new Map<string, string>();

  /** Adds an event. */
  tell(episode: string, event: Told): void {
    this.events.push({ at: Date.now(), episode, ...event } as ClientEvent);
  }

  /** Notes the id of a call, where it is not the token, or of a session, where it is not the episode. */
  nameCall(token: string, id: string): void {
    this.#tokens.set(id, token);
  }

  /** Which call, or episode, has this id. */
  tokenOf(id: string): string {
    return this.#tokens.get(id) ?? id;
  }

  /** Waits for something that must not take for ever; what it may throw is for the caller to catch. */
  async within<Value>(episode: string, what: string, work: Promise<Value>): Promise<Value | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        this.tell(episode, { what: 'fault', why: `${what} did not end within ${PATIENCE_MS} ms` });
        resolve(undefined);
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Notes that a call is sent, and what came back for it. */
  async call(
    episode: string,
    sent: Omit<Extract<Told, { what: 'sent' }>, 'what'>,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    const { token, tool } = sent;
    this.tell(episode, { what: 'sent', ...sent });
    const answer = (await this.within(episode, `the call ${token} of ${tool}`, send())) ?? UNANSWERED;
    this.tell(episode, { what: 'answered', token, answer });
    return answer;
  }
}

const UNANSWERED: Answer = { kind: 'unknown', why: 'it did not end' };

// Everything here lasts a second or two; a busy machine may make it ten times as long.
const PATIENCE_MS = 60_000;
