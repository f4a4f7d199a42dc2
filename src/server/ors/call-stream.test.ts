import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Call } from '../../sessions/index.ts';
import { Callers } from '../http/disconnects.ts';
import { Turn } from '../http/write-batch.ts';
import { CallStream } from './call-stream.ts';

/** A client's view of a call, on a connection that the test makes fast, slow or dead. */
function viewed(call: Call, socket = new Socket()) {
  const response = Object.assign(new EventEmitter(), {
    req: { socket },
    writableNeedDrain: false,
    writableEnded: false,
    writeHead: vi.fn(),
    write: vi.fn((_text: string) => true),
    end: vi.fn(),
  });
  const heartbeat = { add: vi.fn(), remove: vi.fn() };
  const touch = vi.fn();
  const turn = new Turn((thrown) => {
    throw thrown;
  });
  const exchange = { key: 's', response, takeOver: () => ({}), fail: vi.fn() };
  const options = { turn, heartbeat, callers: new Callers(), announceAfterMs: 1_000, touch, forget: vi.fn() };
  const stream = new CallStream({ call, exchange, envelope: false } as never, options as never);
  return { stream, response, socket, heartbeat, touch, turn };
}

function accepted(): Call {
  const call = new Call('mine', 'wait');
  call.accept();
  return call;
}

test('a client that has left before its stream could begin has none', async () => {
  const { response, heartbeat, turn } = viewed(accepted(), new Socket().destroy());
  await turn.end();
  expect(response.write).not.toHaveBeenCalled();
  expect(heartbeat.add).not.toHaveBeenCalled();
});

test('a client that leaves before its call was announced leaves nothing behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const call = new Call('mine', 'wait');
  const { response, socket, heartbeat, turn } = viewed(call);
  await turn.end();
  expect(vi.getTimerCount()).toBe(1);
  socket.emit('close', false);
  expect(vi.getTimerCount()).toBe(0);
  call.accept();
  expect(response.write).not.toHaveBeenCalled();
  expect(heartbeat.add).not.toHaveBeenCalled();
});

test('a client that does not read gets no more signs of life until it does', async () => {
  const { stream, response, turn } = viewed(accepted());
  await turn.end();
  response.write.mockClear();
  response.writableNeedDrain = true;
  stream.beat();
  expect(response.write).not.toHaveBeenCalled();
  response.writableNeedDrain = false;
  stream.beat();
  expect(response.write).toHaveBeenCalledOnce();
});

test('L3: a result keeps its session alive while it is read, and no longer', async () => {
  const call = accepted();
  const { stream, response, heartbeat, touch, turn } = viewed(call);
  await turn.end();
  response.write.mockReturnValue(false);
  call.settle({ kind: 'result', json: JSON.stringify('x'.repeat(1_000_000)), outcome: 'scored' });
  await turn.end();
  stream.beat();
  expect(touch).toHaveBeenCalledOnce();
  heartbeat.remove.mockClear();
  response.write.mockReturnValue(true);
  response.emit('drain');
  expect(response.end).toHaveBeenCalledOnce();
  expect(heartbeat.remove).not.toHaveBeenCalled();
  response.emit('finish');
  expect(heartbeat.remove).toHaveBeenCalledExactlyOnceWith(stream);
});
