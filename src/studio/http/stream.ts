import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { PING } from '../../protocol/index.ts';
import { badRequest } from '../shared/refusal.ts';
import { SAFE_HEADERS } from './page.ts';
import type { FindTopic, TopicEvent, Watchable } from './topic.ts';

const MOST_TOPICS = 32;
const PING_MS = 15_000;

/** Registers the one stream over which the page hears of changes. */
export function serveStream(app: FastifyInstance, find: FindTopic): void {
  const streams = new Set<Stream>();
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end();
  });
  app.get('/api/stream', { exposeHeadRoute: false }, async (request, reply) => {
    const topics = [(request.query as { readonly topic?: unknown }).topic ?? []].flat();
    if (topics.length === 0 || topics.length > MOST_TOPICS || !topics.every((each) => typeof each === 'string'))
      throw badRequest(`name 1 to ${MOST_TOPICS} topics: /api/stream?topic=targets&topic=runs`);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...SAFE_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const stream = new Stream(raw);
    streams.add(stream);
    raw.on('close', () => {
      streams.delete(stream);
      stream.close();
    });
    for (const topic of new Set(topics as string[])) stream.add(topic, find);
  });
}

/** One page that listens. */
class Stream {
  readonly #response: ServerResponse;
  readonly #topics: WatchedTopic[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('drain', () => {
      for (const topic of this.#topics) topic.catchUp();
    });
    this.#timer = setInterval(() => {
      if (!response.writableNeedDrain && !response.writableEnded) response.write(PING);
    }, PING_MS).unref();
  }

  add(topic: string, find: FindTopic): void {
    const tell = (event: TopicEvent) => this.#tell(topic, event);
    const isBusy = () => this.#response.writableNeedDrain;
    try {
      const watchable = find(topic);
      if (watchable === undefined) tell({ type: 'gone' });
      else this.#topics.push(new WatchedTopic(watchable, { tell, isBusy }));
    } catch {
      // The headers are out, so no error can be answered; the other topics go on.
      tell({ type: 'gone' });
    }
  }

  close(): void {
    clearInterval(this.#timer);
    for (const topic of this.#topics) topic.close();
  }

  end(): void {
    this.#response.end();
  }

  #tell(topic: string, event: TopicEvent): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(`data: ${JSON.stringify({ topic, ...event })}\n\n`);
  }
}

interface Teller {
  readonly tell: (event: TopicEvent) => void;
  readonly isBusy: () => boolean;
}

/** A topic of one page: changes that come while the page does not read are left out, and its whole state is told afterwards. */
class WatchedTopic {
  readonly #watchable: Watchable;
  readonly #teller: Teller;
  readonly #unwatch: () => void;
  /** unknown: the page does not know the state that changes are about. */
  #state: 'unknown' | 'telling' | 'changed meanwhile' | 'known' | 'closed' = 'unknown';

  constructor(watchable: Watchable, teller: Teller) {
    this.#watchable = watchable;
    this.#teller = teller;
    this.#unwatch = watchable.watch((event) => this.#change(event));
    void this.#tellAll();
  }

  catchUp(): void {
    if (this.#state === 'unknown') void this.#tellAll();
  }

  close(): void {
    this.#state = 'closed';
    this.#unwatch();
  }

  #change(event: TopicEvent): void {
    if (this.#state === 'telling') this.#state = 'changed meanwhile';
    if (this.#state !== 'known') return;
    if (this.#teller.isBusy()) this.#state = 'unknown';
    else this.#teller.tell(event);
  }

  async #tellAll(): Promise<void> {
    this.#state = 'telling';
    const event = await this.#read();
    if (this.#isIn('closed')) return;
    this.#teller.tell(event);
    if (!this.#isIn('changed meanwhile')) this.#state = 'known';
    else if (this.#teller.isBusy()) this.#state = 'unknown';
    else await this.#tellAll();
  }

  // Asked by a method: the compiler does not see that it changes while something is awaited.
  #isIn(state: 'closed' | 'changed meanwhile'): boolean {
    return this.#state === state;
  }

  async #read(): Promise<TopicEvent> {
    try {
      return await this.#watchable.snapshot();
    } catch {
      // It is gone, or cannot be read now: its route says why.
      return { type: 'gone' };
    }
  }
}
