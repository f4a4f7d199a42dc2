import { post, type Request } from '../../bench/requests.ts';
import { Connection, isProblem } from '../../src/cli/bench/load/connection.ts';
import { toEndpoint } from '../../src/cli/bench/load/endpoint.ts';

/** A number of sessions to play. */
export interface Batch {
  readonly port: number;
  readonly connections: number;
  readonly sessions: number;
  readonly callsPerSession: number;
}

const TIMEOUT_MS = 60_000;
const READ_BYTES = 64 * 1024;

/** Plays sessions one after the other on each connection, and closes the connections. Rejects on any wrong answer. */
export async function playBatch({ port, connections, sessions, callsPerSession }: Batch): Promise<void> {
  const shared = {
    endpoint: toEndpoint(`http://127.0.0.1:${port}`, {}),
    timeoutMs: TIMEOUT_MS,
    traffic: { sent: 0, received: 0 },
    readBuffer: Buffer.allocUnsafeSlow(READ_BYTES),
  };
  let begun = 0;
  const play = async () => {
    const connection = new Connection(shared);
    try {
      while (begun < sessions) {
        begun += 1;
        for (const request of sessionRequests(callsPerSession)) await exchange(connection, request);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, play));
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

async function exchange(connection: Connection, { bytes, expect }: Request): Promise<void> {
  const answer = await connection.exchange(bytes);
  if (isProblem(answer)) throw new Error(`expected '${expect}', got none (${answer.kind}): ${answer.detail}`);
  if (answer.status !== 200 || !answer.body.includes(expect))
    throw new Error(`expected '${expect}', got ${answer.status}: ${answer.body.toString('utf8', 0, 500)}`);
}
