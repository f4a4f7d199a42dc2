import { NatsJournal as FencedJournal } from '../../../src/cluster/nats/nats-journal.ts';
import type { Addition } from '../../../src/cluster/shared-journal.ts';
import { Fenced, type JournalRecord } from '../../../src/journal/index.ts';

export type { NatsJournalParts } from '../../../src/cluster/nats/nats-journal.ts';

/** Appends after whatever is last. */
export class NatsJournal<Kept extends JournalRecord> extends FencedJournal<Kept> {
  override async append(place: string, addition: Addition<Kept>, after: number): Promise<number> {
    for (let position = after; ; position = (await this.last(place))?.position ?? 0) {
      try {
        return await super.append(place, addition, position);
      } catch (thrown) {
        if (!(thrown instanceof Fenced)) throw thrown;
      }
    }
  }
}
