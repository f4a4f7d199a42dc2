import { SessionJournal as Noted } from '../../../src/durable/session-journal.ts';

export { hasReadableCalls, type JournalPlace } from '../../../src/durable/session-journal.ts';

/** Does not write down what ends with its server. */
export class SessionJournal extends Noted {
  override async close(record: Parameters<Noted['close']>[0]): Promise<boolean> {
    return record.end === 'stopped' ? true : super.close(record);
  }
}
