import type { NewTarget, Target } from '../api.ts';
import type { ToMessage } from '../shared/client-problem.ts';
import { Listeners } from '../shared/listeners.ts';
import { badRequest, conflict, notFound } from '../shared/refusal.ts';
import { TargetLink, type TargetOptions } from './target-link.ts';

const MOST_TARGETS = 50;

/** All servers that the studio talks to. */
export class Targets {
  readonly changes: Listeners = new Listeners();
  /** Told when a target goes, so that what belongs to it goes as well. */
  readonly removals: Listeners<TargetLink> = new Listeners();
  readonly #links = new Map<string, TargetLink>();
  readonly #toMessage: ToMessage | undefined;
  #count = 0;

  constructor(toMessage?: ToMessage) {
    this.#toMessage = toMessage;
  }

  /** Adds a server, and begins to look at it. */
  add(options: TargetOptions): TargetLink {
    if (this.#links.size >= MOST_TARGETS) throw conflict(`the studio has ${MOST_TARGETS} servers: remove one first`);
    this.#count += 1;
    const link = new TargetLink(`t${this.#count}`, { toMessage: this.#toMessage, ...options });
    this.#links.set(link.id, link);
    link.changes.add(() => this.changes.tell());
    void link.look();
    this.changes.tell();
    return link;
  }

  /** Adds a server that a person named in the page. */
  addByUrl({ url, apiKey = '' }: NewTarget): TargetLink {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
      throw badRequest(
        `'${url}' is not the URL of a server: it must begin with http:// or https://. Name a module on the command line instead: tiltyard studio math.ts`,
      );
    if (parsed.username !== '' || parsed.password !== '')
      throw badRequest('leave user and password out of the URL, and give the key by itself');
    const clean = url.replace(/[?#].*$/, '').replace(/\/+$/, '');
    const known = [...this.#links.values()].find(({ options }) => options.url === clean && options.apiKey === apiKey);
    return known ?? this.add({ name: clean, url: clean, apiKey, isModule: false });
  }

  remove(id: string): void {
    const link = this.get(id);
    if (link.options.isModule) throw conflict('a module that the studio runs stays until the studio ends');
    link.close();
    this.#links.delete(id);
    this.removals.tell(link);
    this.changes.tell();
  }

  get(id: string): TargetLink {
    const link = this.#links.get(id);
    if (link === undefined) throw notFound('server', id);
    return link;
  }

  find(id: string): TargetLink | undefined {
    return this.#links.get(id);
  }

  list(): Target[] {
    return [...this.#links.values()].map((link) => link.toJSON());
  }

  close(): void {
    for (const link of this.#links.values()) link.close();
  }
}
