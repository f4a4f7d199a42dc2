import { expect, test } from 'vitest';
import { MemoryJournal } from '../../src/journal/index.ts';
import { describeJournal, type Noted } from './contract.ts';

describeJournal('in memory', async () => new MemoryJournal<Noted>());

test('a journal in memory says that it does not outlive its process', () => {
  expect(new MemoryJournal()).toMatchObject({ isPersistent: false, isEncrypted: false });
});
