import { type Bus, type BusListener, NoAnswer, NoResponders } from '../../src/cluster/index.ts';
import type { Life } from './life.ts';
import type { Links } from './links.ts';

interface Subscription {
  readonly life: Life;
  readonly on: BusListener;
}

/** What stands between the nodes: knows who listens to what. */
export class FakeBus {
  readonly #links: Links;
  readonly #subscriptions = new Map<string, Set<Subscription>>();

  constructor(links: Links) {
    this.#links = links;
  }

  /** The bus as a process sees it. */
  of(life: Life): Bus {
    const links = this.#links;
    life.onDeath(() => this.#disconnect(life));
    return {
      publish: (subject, message) => {
        const text = JSON.stringify(message);
        links.carry(life.node, 'bus', { run: () => this.#spread(subject, text, () => {}) });
      },
      subscribe: (subject, on) => {
        const listening = this.#subscriptions.get(subject) ?? new Set();
        const subscription = { life, on };
        this.#subscriptions.set(subject, listening.add(subscription));
        return () => void listening.delete(subscription);
      },
      request: (subject, message, timeoutMs) => this.#request(life, subject, JSON.stringify(message), timeoutMs),
    };
  }

  #request(life: Life, subject: string, text: string, timeoutMs: number): Promise<unknown> {
    const links = this.#links;
    return new Promise((resolve, reject) => {
      const stop = life.after(timeoutMs, () => reject(new NoAnswer(`no answer from ${subject}`)));
      const answer = (run: () => void) => {
        const heard = () => {
          stop();
          run();
        };
        links.carry(life.node, 'bus', { to: life, run: heard });
      };
      life.timeline.note(() => `${life.id} asks ${subject}: ${text}`);
      const reply = (answered: string) => answer(() => resolve(JSON.parse(answered)));
      links.carry(life.node, 'bus', {
        run: () => {
          if (!this.#spread(subject, text, reply))
            answer(() => reject(new NoResponders(`nobody listens to ${subject}`)));
        },
      });
    });
  }

  /** Tells all who listen; false if nobody does. */
  #spread(subject: string, text: string, reply: (answered: string) => void): boolean {
    const listening = this.#subscriptions.get(subject);
    const message: unknown = JSON.parse(text);
    for (const { life, on } of listening ?? []) {
      const respond = (answered: unknown) => {
        const json = JSON.stringify(answered);
        life.timeline.note(() => `${life.id} answers: ${json}`);
        this.#links.carry(life.node, 'bus', { run: () => reply(json) });
      };
      this.#links.carry(life.node, 'bus', { to: life, run: () => on(message, respond) });
    }
    return (listening?.size ?? 0) > 0;
  }

  #disconnect(life: Life): void {
    for (const listening of this.#subscriptions.values())
      for (const subscription of listening) if (subscription.life === life) listening.delete(subscription);
  }
}
