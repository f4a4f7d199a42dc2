import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { silent } from '../../core/index.ts';
import { type CallEvent, DEFAULT_SESSION_OPTIONS, MemoryBudget } from '../../sessions/index.ts';
import { Disconnects } from '../http/disconnects.ts';
import { PieceRooms } from '../http/pieces.ts';
import { Transfers } from '../http/transfers.ts';
import { WriteBatch } from '../http/write-batch.ts';
import { CallStream } from './call-stream.ts';

const REF = { identity: '', sid: 's' };
const ACCEPTED: CallEvent = { kind: 'accepted', taskId: 'mine' };

/** A client's view of a call, on a connection that the test makes fast, slow or dead; the test tells what it hears. */
function viewed(socket = new Socket()) {
  const response = Object.assign(new EventEmitter(), {
    req: { socket },
    writableNeedDrain: false,
    writableEnded: false,
    headersSent: false,
    write: vi.fn((_text: string) => true),
    end: vi.fn(),
  });
  const stopBeat = vi.fn();
  const heartbeat = { add: vi.fn(() => stopBeat) };
  const batch = new WriteBatch((thrown) => {
    throw thrown;
  });
  const leave = vi.fn();
  const touch = vi.fn();
  const host = { touch };
  const open = () => {
    response.headersSent = true;
  };
  const exchange = { response, open, caller: {} };
  const transfers = new Transfers(new MemoryBudget(DEFAULT_SESSION_OPTIONS), silent);
  const rooms = new PieceRooms();
  const disconnects = new Disconnects();
  const options = { host, batch, heartbeat, transfers, rooms, disconnects, returnErrors: 'none' };
  const stream = new CallStream(options as never, exchange as never, REF, { name: 'wait', input: {} });
  stream.start(undefined, leave);
  return {
    stream,
    response,
    socket,
    heartbeat,
    stopBeat,
    touch,
    leave,
    batch,
    tell: (event: CallEvent) => stream.on(event),
  };
}

test('a client that has left before its stream could begin has none, and its call hears that', async () => {
  const { response, heartbeat, leave, batch, tell } = viewed(new Socket().destroy());
  tell(ACCEPTED);
  await batch.end();
  expect(response.write).not.toHaveBeenCalled();
  expect(heartbeat.add).not.toHaveBeenCalled();
  expect(leave).toHaveBeenCalledOnce();
});

test('a client that leaves before its call was accepted leaves nothing behind', async () => {
  const { response, socket, heartbeat, leave, batch, tell } = viewed();
  await batch.end();
  socket.destroy();
  await vi.waitFor(() => expect(leave).toHaveBeenCalledOnce());
  tell(ACCEPTED);
  await batch.end();
  expect(response.write).not.toHaveBeenCalled();
  expect(heartbeat.add).not.toHaveBeenCalled();
});

test('a call that is accepted and ends within a later turn is answered in one write', async () => {
  const { response, heartbeat, batch, tell } = viewed();
  await batch.end();
  tell(ACCEPTED);
  tell({ kind: 'settled', taskId: 'mine', ending: { kind: 'returned', json: '{}' }, durationMs: 0 });
  await batch.end();
  expect(response.write).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('mine'), 'latin1');
  expect(heartbeat.add).not.toHaveBeenCalled();
});

test('a call that ends within its turn is answered in one write', async () => {
  const { response, heartbeat, batch, tell } = viewed();
  tell(ACCEPTED);
  tell({ kind: 'settled', taskId: 'mine', ending: { kind: 'returned', json: '{}' }, durationMs: 0 });
  await batch.end();
  expect(response.write).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('mine'), 'latin1');
  expect(heartbeat.add).not.toHaveBeenCalled();
});

test('a client hears the id of a call that takes longer, and the result when it is there', async () => {
  const { response, heartbeat, stopBeat, batch, tell } = viewed();
  await batch.end();
  expect(response.write).not.toHaveBeenCalled();
  tell(ACCEPTED);
  await batch.end();
  expect(response.write).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('mine'));
  expect(heartbeat.add).toHaveBeenCalledOnce();
  tell({ kind: 'settled', taskId: 'mine', ending: { kind: 'returned', json: '{"a":1}' }, durationMs: 0 });
  await batch.end();
  expect(response.end).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('{"a":1}'));
  expect(stopBeat).toHaveBeenCalledOnce();
});

test('a client that does not read gets no more signs of life until it does', async () => {
  const { stream, response, batch, tell } = viewed();
  tell(ACCEPTED);
  await batch.end();
  response.write.mockClear();
  response.writableNeedDrain = true;
  stream.beat();
  expect(response.write).not.toHaveBeenCalled();
  response.writableNeedDrain = false;
  stream.beat();
  expect(response.write).toHaveBeenCalledOnce();
});

test('L3: a result keeps its session alive while it is read, and no longer', async () => {
  const { stream, response, stopBeat, touch, batch, tell } = viewed();
  tell(ACCEPTED);
  await batch.end();
  response.write.mockReturnValue(false);
  const json = JSON.stringify('x'.repeat(1_000_000));
  tell({ kind: 'settled', taskId: 'mine', ending: { kind: 'returned', json }, durationMs: 0 });
  await batch.end();
  stream.beat();
  expect(touch).toHaveBeenCalledExactlyOnceWith(REF);
  stopBeat.mockClear();
  response.write.mockReturnValue(true);
  response.emit('drain');
  expect(response.end).toHaveBeenCalledOnce();
  expect(stopBeat).not.toHaveBeenCalled();
  response.emit('finish');
  expect(stopBeat).toHaveBeenCalledOnce();
});
