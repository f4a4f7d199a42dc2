import { onTestFinished } from 'vitest';

/** A stream of server-sent events whose data is JSON, as it comes. */
export interface EventSource<Event> {
  readonly status: number;
  /** All that has come so far. */
  readonly seen: readonly Event[];
  /** Waits for the first event from here on that fits; events before it are passed over. */
  next(fits?: (event: Event) => boolean): Promise<Event>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens a stream; it is closed when the test ends. */
export async function openEvents<Event>(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventSource<Event>> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const seen: Event[] = [];
  let at = 0;
  let wake = () => {};
  let isOver = false;
  const ended = (async () => {
    let rest = '';
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) {
        rest += decoder.decode(bytes as Uint8Array, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) if (block.startsWith('data: ')) seen.push(JSON.parse(block.slice(6)) as Event);
        wake();
      }
    } catch (thrown) {
      if (!controller.signal.aborted) throw thrown;
    } finally {
      isOver = true;
      wake();
    }
  })();
  onTestFinished(() => controller.abort());
  return {
    status: response.status,
    seen,
    ended,
    async next(fits = () => true) {
      for (;;) {
        while (at < seen.length) {
          const event = seen[at] as Event;
          at += 1;
          if (fits(event)) return event;
        }
        if (isOver) throw new Error('the stream ended before such an event came');
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => controller.abort(),
  };
}
