import { useEffect, useState } from 'react';
import type { RecordEvent } from '../../src/records/index.ts';
import type { EventPage } from '../../src/studio/api.ts';
import { useAction } from '../data/hooks.ts';

/** The events of a record, page by page. */
export function useEvents(
  first: EventPage,
  load: (start: number) => Promise<EventPage>,
): {
  readonly events: readonly RecordEvent[];
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly error: unknown;
} {
  const [pages, setPages] = useState<readonly EventPage[]>([first]);
  // The first page is newer while the episode is being played; what was loaded after it stays.
  useEffect(() => setPages((before) => [first, ...before.slice(1)]), [first]);
  const next = pages.at(-1)?.next ?? null;
  const more = useAction(async () => {
    if (next === null) return;
    const page = await load(next);
    setPages((before) => [...before, page]);
  });
  return { events: pages.flatMap(({ events }) => events), hasMore: next !== null, more: more.run, error: more.error };
}
