import type { SharedJournal } from '../../src/cluster/index.ts';
import type { EpisodeRecord } from '../../src/durable/index.ts';
import { Fenced } from '../../src/journal/index.ts';
import type { Server } from './door.ts';

/** What is wrong on purpose, around the nodes: nothing of it is in their code. */
export interface Sabotage {
  /** A journal that is broken, in place of the one of a node. */
  readonly journal?: (journal: SharedJournal<EpisodeRecord>) => SharedJournal<EpisodeRecord>;
  /** A server that is broken, in place of the one that clients reach. */
  readonly server?: (server: Server) => Server;
}

/** Faults that the simulator must find. */
export const SABOTAGES: Readonly<Record<string, Sabotage>> = {
  'fencing off': { journal: (journal) => ({ ...journal, append: anyhow(journal) }) },
  'announcing off': { server: ({ life, host }) => ({ life, host: { ...host, call: unannounced(host) } }) },
  'a claim without reading': { journal: (journal) => ({ ...journal, read: onlyFirst(journal) }) },
  'told before it is written': { journal: (journal) => ({ ...journal, append: unawaited(journal, 'end') }) },
  'run before it is written down': { journal: (journal) => ({ ...journal, append: unawaited(journal, 'begin') }) },
};

/** Appends after whatever is last. */
function anyhow(journal: SharedJournal<EpisodeRecord>): SharedJournal<EpisodeRecord>['append'] {
  return async (place, addition, after) => {
    for (let position = after; ; position = (await journal.last(place))?.position ?? 0) {
      try {
        return await journal.append(place, addition, position);
      } catch (thrown) {
        if (!(thrown instanceof Fenced)) throw thrown;
      }
    }
  };
}

/** Tells clients nothing of their calls until they have ended. */
function unannounced(host: Server['host']): Server['host']['call'] {
  return (ref, request, on) => host.call(ref, request, (event) => void (event.kind === 'settled' && on(event)));
}

/** Knows who has an episode, and nothing of what has happened in it. */
function onlyFirst(journal: SharedJournal<EpisodeRecord>): SharedJournal<EpisodeRecord>['read'] {
  return async (place) => {
    const chapter = await journal.read(place);
    return chapter && { ...chapter, records: chapter.records.slice(0, 1) };
  };
}

/** Does not wait until records of this type are written. */
function unawaited(
  journal: SharedJournal<EpisodeRecord>,
  type: EpisodeRecord['type'],
): SharedJournal<EpisodeRecord>['append'] {
  return (place, addition, after) => {
    const appending = journal.append(place, addition, after);
    if (addition.record.type !== type) return appending;
    // Where it will be, if nobody else writes meanwhile.
    appending.catch(() => {});
    return Promise.resolve(after + 1);
  };
}
