import { expect, test } from 'vitest';
import type { PlayHead } from '../../../src/studio/api.ts';
import { toBranchTree } from './branch-tree.ts';

const head = (id: string, parent?: string): PlayHead => ({
  id,
  target: 't',
  subject: { kind: 'tools' },
  parent: parent === undefined ? null : { play: parent, keep: 1 },
  status: 'ready',
  createdAt: 0,
  stepCount: 0,
  total: null,
  divergences: 0,
  problem: null,
});
const shown = (plays: PlayHead[], id: string) => toBranchTree(plays, id).map(({ play, depth }) => `${depth}${play.id}`);

test('U3: branches stand below the play they come from, from wherever one looks', () => {
  const plays = [head('a'), head('b', 'a'), head('x'), head('c', 'b'), head('d', 'a')];
  for (const id of ['a', 'b', 'c', 'd']) expect(shown(plays, id)).toEqual(['0a', '1b', '2c', '1d']);
  expect(shown(plays, 'x')).toEqual(['0x']);
});

test('U3: a branch whose parent was forgotten is the beginning of its own tree', () => {
  expect(shown([head('b', 'a'), head('c', 'b')], 'c')).toEqual(['0b', '1c']);
});

test('a play that the list does not have yet has no tree', () => {
  expect(shown([], 'a')).toEqual([]);
});
