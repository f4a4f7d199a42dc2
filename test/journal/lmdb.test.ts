import { openJournal, parseJournalKeys } from '../../src/journal/index.ts';
import { describeJournal, type Noted } from './contract.ts';
import { newFolder } from './folders.ts';

const keys = parseJournalKeys('11'.repeat(32));

describeJournal('LMDB', () => openJournal<Noted>(newFolder()));
describeJournal('LMDB, encrypted', () => openJournal<Noted>(newFolder(), { keys }));
describeJournal('LMDB, on the disk', () => openJournal<Noted>(newFolder(), { sync: 'always' }));
