import { MaxRetries } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { CLIENT_TASK_ID, FEATURES_HEADER } from '../../src/protocol/index.ts';
import { openSession, rejection } from '../support/client.ts';
import {
  envelope,
  json,
  openStream,
  type Route,
  SERVER_ID,
  SID,
  startForeign,
  toPythonEvents,
} from '../support/foreign.ts';
import { gate } from '../support/gate.ts';

const stopping = json({ detail: 'the server is stopping', code: 'shutting_down' }, 503);

const withIds: Route = (exchange) => {
  exchange.response.setHeader(FEATURES_HEADER, CLIENT_TASK_ID);
  json({ sid: SID })(exchange);
};

test.each([
  ['chooses', json({ sid: SID })],
  ['lets the client choose', withIds],
])(
  'K9: a server that %s the ids and is stopping is asked again, and only the refused call fails',
  async (_who, create) => {
    const { opened, open } = gate();
    const server = await startForeign({
      'POST /create': create,
      'POST /math/call': async (exchange) => {
        if (exchange.seen.body.name === 'add') return stopping(exchange);
        const stream = openStream(exchange.response);
        stream.write(toPythonEvents(['task_id', exchange.seen.body.task_id ?? SERVER_ID]));
        await opened;
        stream.end(toPythonEvents(['end', envelope('in time', 1)]));
      },
    });
    const session = await openSession(server);
    const running = session.call('slow');
    const error = await rejection(session.call('add'));
    expect(error).toBeInstanceOf(MaxRetries);
    expect(error).toMatchObject({ status: 503, code: 'shutting_down', outcome: 'cancelled', sid: SID });
    expect(error.errors).toHaveLength(6);
    // The session goes on, and so does its other call.
    expect(await session.prompt()).toMatchObject([{ text: 'Add.' }]);
    open();
    expect(await running).toMatchObject({ text: 'in time', reward: 1 });
    await session.close();
    expect(server.on('/delete')).toHaveLength(1);
  },
);

test('K9: a call that came through when the server had stopped refusing runs once', async () => {
  const server = await startForeign({
    'POST /math/call': (exchange) => {
      if (exchange.count < 4) return stopping(exchange);
      openStream(exchange.response).end(toPythonEvents(['task_id', SERVER_ID], ['end', envelope('done')]));
    },
  });
  expect(await (await openSession(server)).call('add')).toMatchObject({ text: 'done' });
  expect(server.on('/math/call')).toHaveLength(4);
});

test('K5: what the last attempt heard says nothing of an earlier one that may have run', async () => {
  const server = await startForeign({
    'POST /math/call': (exchange) => (exchange.count === 1 ? exchange.response.destroy() : stopping(exchange)),
  });
  const session = await openSession(server, { onUnknown: 'repeat' });
  const error = await rejection(session.call('add'));
  expect(error).toBeInstanceOf(MaxRetries);
  expect(error).toMatchObject({ status: 503, code: 'shutting_down', outcome: undefined });
});
