import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { FakeAnswer, FakeRequest, FakeWire, Fault, Script } from './script.ts';
import { toStream, wantsStream } from './streams.ts';
import { ANSWERS, OVERFLOWS, turnsIn, wireOf } from './wires.ts';

/** A model's server that does what a script says, over all four APIs. */
export interface FakeModel {
  /** Where it is, without a path. */
  readonly origin: string;
  /** The name of a model at this server, for `--model`. */
  name(wire: FakeWire): string;
  /** All requests so far. */
  readonly requests: readonly FakeRequest[];
}

/** Starts a fake model; it stops when the test ends. */
export async function startFakeModel(script: Script): Promise<FakeModel> {
  const requests: FakeRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((thrown) => {
      response.statusCode = 418;
      response.end(String(thrown));
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const at = performance.now();
    const wire = wireOf(request.url ?? '');
    if (wire === undefined) throw new Error(`the fake model has no ${request.url}`);
    const body = JSON.parse(await text(request));
    const seen: FakeRequest = {
      ...{ wire, body, at, number: requests.length, turn: turnsIn(wire, body) },
      headers: request.headers as FakeRequest['headers'],
    };
    requests.push(seen);
    const reply = await script(seen);
    if ('fault' in reply || !wantsStream(request.url ?? '', body)) return respond(response, wire, reply);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(toStream(wire, ANSWERS[wire](reply)));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${port}`;
  return { origin, requests, name: (wire) => `${wire}/fake@${origin}/v1` };
}

async function respond(response: ServerResponse, wire: FakeWire, reply: FakeAnswer | Fault): Promise<void> {
  const send = (status: number, body: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
  if (!('fault' in reply)) {
    const counts = reply.isUncounted === true ? { usage: undefined, usageMetadata: undefined } : {};
    return send(200, JSON.stringify({ ...ANSWERS[wire](reply), ...counts }));
  }
  switch (reply.fault) {
    case 'status': {
      const { status, retryAfter, message = 'no' } = reply;
      const body = JSON.stringify({ error: { message } });
      return send(status, body, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    }
    case 'redirect':
      return send(307, '', { location: reply.to });
    case 'bad-json':
      return send(200, '{"choices": [');
    case 'overflow':
      return send(400, JSON.stringify(OVERFLOWS[wire]));
    case 'cut': {
      const whole = JSON.stringify(ANSWERS[wire]({ text: 'half of this is all there is' }));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(whole.length) });
      response.write(whole.slice(0, whole.length / 2));
      setImmediate(() => response.destroy());
      return;
    }
    case 'endless': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      return more();
    }
    case 'slow':
      await new Promise((resolve) => setTimeout(resolve, reply.ms).unref());
      return send(200, JSON.stringify(ANSWERS[wire](reply.answer)));
  }
}
