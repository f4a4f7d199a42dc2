import { webcrypto } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newCallId, newTaskId } from './call-ids.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test.each(['a server', 'a page that came over plain HTTP'])('ids are random, and of their form, in %s', (where) => {
  if (where !== 'a server') {
    vi.stubGlobal('crypto', { getRandomValues: webcrypto.getRandomValues.bind(webcrypto) });
    onTestFinished(() => void vi.unstubAllGlobals());
  }
  const ids = Array.from({ length: 100 }, newCallId);
  for (const id of ids) expect(id).toMatch(UUID);
  const taskIds = Array.from({ length: 100 }, newTaskId);
  for (const id of taskIds) expect(id).toMatch(/^call-[0-9a-f]{32}$/);
  expect(new Set([...ids, ...taskIds]).size).toBe(200);
});
