import { connect } from 'node:net';
import { isWhole, type Request } from '../../bench/exchange.ts';
import { post } from '../../bench/requests.ts';

/** A number of sessions to play. */
export interface Batch {
  readonly port: number;
  readonly connections: number;
  readonly sessions: number;
  readonly callsPerSession: number;
}

/** Plays sessions one after the other on each connection, and closes the connections. Rejects on any wrong answer. */
export async function playBatch({ port, connections, sessions, callsPerSession }: Batch): Promise<void> {
  let begun = 0;
  const next = () => {
    begun += 1;
    return begun <= sessions ? sessionRequests(callsPerSession) : undefined;
  };
  await Promise.all(Array.from({ length: connections }, () => play(port, next)));
}

/** All requests of one session: it is created, called in every way, and deleted. */
function* sessionRequests(calls: number): Generator<Request, void, undefined> {
  const sid = crypto.randomUUID();
  const body = { env_name: 'counter', split: 'train', index: 0 };
  yield post('/create', body, { expect: sid, sid });
  let sum = 0;
  for (let number = 0; number < calls; number += 1) {
    const kind = number % 5;
    if (kind === 3) {
      const request = { tool_id: 'Counter.Double', input: { n: number } };
      yield post('/tools/call', { $schema: 'urn:oxp:1.0', request }, { expect: `"value":${2 * number}` });
      continue;
    }
    sum += 1;
    const input = { amount: 1, note: `note ${number}` };
    const call =
      kind === 4
        ? { name: 'later', input: { amount: 1 } }
        : { name: 'add', input, ...(kind === 1 ? { task_id: `my-${number}` } : {}) };
    yield post('/counter/call', call, { expect: `The sum is ${sum}.`, sid });
  }
  yield post('/delete', {}, { expect: sid, sid });
}

function play(port: number, nextSession: () => Generator<Request> | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    let requests: Generator<Request> | undefined;
    let expect = '';
    let received = '';
    const send = (): void => {
      const request = requests?.next();
      if (request !== undefined && !request.done) {
        expect = request.value.expect;
        socket.write(request.value.bytes);
        return;
      }
      requests = nextSession();
      if (requests !== undefined) return send();
      socket.removeAllListeners('close').once('close', () => resolve());
      socket.end();
    };
    socket.on('connect', send).on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (data: string) => {
      received += data;
      if (!isWhole(received, data)) return;
      if (!received.startsWith('HTTP/1.1 200') || !received.includes(expect))
        return reject(new Error(`expected '${expect}', got ${received.slice(0, 500)}`));
      received = '';
      send();
    });
  });
}
