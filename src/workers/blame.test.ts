import { describe, expect, test } from 'vitest';
import { blame, type Doing, type Evidence } from './blame.ts';

const PINGED = 100;

function doing(episode: number | undefined, phase: Doing['phase'] = 'running', sentAt = PINGED + 1): Doing {
  return { order: episode ?? -1, episode, phase, sentAt };
}

function charges(all: readonly Doing[], more: Partial<Evidence> = {}): object {
  const evidence = { doing: all, named: undefined, answeredAt: PINGED, silentSince: undefined, ...more };
  return Object.fromEntries(blame(evidence));
}

describe('H5: to blame for the end of a worker', () => {
  test('is who was named, and nobody else', () => {
    expect(charges([doing(1), doing(2, 'sent')], { named: { episode: 1 } })).toEqual({ 1: 1 });
    expect(charges([doing(1)], { named: { episode: undefined } })).toEqual({});
  });

  test('is nobody if nothing ran', () => {
    expect(charges([])).toEqual({});
    expect(charges([doing(1, 'waiting')])).toEqual({});
  });

  test('is the one of which nothing was heard yet, rather than those that have run for a while', () => {
    expect(charges([doing(1), doing(2, 'sent'), doing(3, 'waiting')])).toEqual({ 2: 1 });
  });

  test('is not one that survived its first turn, as the answer to a later ping shows', () => {
    expect(charges([doing(1, 'sent', PINGED - 1), doing(2, 'sent')])).toEqual({ 2: 1 });
  });

  test('are all that ran, if all have had their first turn; also a setup, which tells nothing until it has ended', () => {
    expect(charges([doing(1), doing(2, 'sent', PINGED - 1), doing(3, 'waiting')])).toEqual({ 1: 0.5, 2: 0.5 });
  });

  test('is an episode once, however much of it ran; each tool outside of episodes is one more', () => {
    expect(charges([doing(1), doing(1), doing(undefined), doing(undefined)])).toEqual({ 1: 1 / 3 });
  });

  test('is the order that blocked it, if it has said so, whatever else was told to it', () => {
    expect(charges([doing(1), doing(2, 'sent'), doing(3, 'sent')], { blocking: 2 })).toEqual({ 2: 1 });
    expect(charges([doing(1), doing(2, 'sent'), doing(3, 'waiting')], { blocking: 0 })).toEqual({ 1: 1 });
    expect(charges([doing(2, 'sent')], { blocking: 0 })).toEqual({ 2: 1 });
  });

  test('is nothing that was told to it when it was blocked already', () => {
    const silentSince = PINGED + 10;
    expect(charges([doing(1), doing(2, 'sent', silentSince + 1)], { silentSince })).toEqual({ 1: 1 });
  });
});
