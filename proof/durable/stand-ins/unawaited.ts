import { SessionJournal as Awaited } from '../../../src/durable/session-journal.ts';

export { hasReadableCalls, type JournalPlace } from '../../../src/durable/session-journal.ts';

/** Says that a record is durable before it is. */
export class SessionJournal extends Awaited {
  override async append(...[record, onDelay]: Parameters<Awaited['append']>): Promise<void> {
    void super.append(record, onDelay);
  }
}
