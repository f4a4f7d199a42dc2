import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { Disconnects } from './disconnects.ts';

test('all who watch a connection hear when it closes, but for those who have called that off', () => {
  const callers = new Disconnects();
  const socket = new Socket();
  const [waiting, calledOff] = [vi.fn(), vi.fn()];
  callers.watch(socket, waiting);
  callers.watch(socket, calledOff)();
  expect(socket.listenerCount('close')).toBe(1);
  expect(waiting).not.toHaveBeenCalled();
  socket.emit('close', false);
  expect(waiting).toHaveBeenCalledOnce();
  expect(calledOff).not.toHaveBeenCalled();
});

test('who watches a connection that has closed already hears it at once', () => {
  const socket = new Socket().destroy();
  const late = vi.fn();
  new Disconnects().watch(socket, late);
  expect(late).toHaveBeenCalledOnce();
});
