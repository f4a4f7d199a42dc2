import { connect, type Socket } from 'node:net';
import { isWhole, type Request } from './exchange.ts';

/** A closed loop: each connection sends its next request when the answer to the last one is there. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** The next request of a connection. */
  readonly next: (connection: number) => Request;
}

/** What a load measured. */
export interface Measured {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs a load on raw sockets, so that the client costs as little as possible beside the server. */
export async function measure(load: Load): Promise<Measured> {
  const latencies: number[] = [];
  const begin = performance.now();
  const deadline = begin + load.durationMs;
  await Promise.all(Array.from({ length: load.connections }, (_, index) => drive(load, index, deadline, latencies)));
  const seconds = (performance.now() - begin) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { count: latencies.length, perSecond: latencies.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function drive({ port, next }: Load, index: number, deadline: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let sent = 0;
    let expect = '';
    let answer = '';
    const send = () => {
      const request = next(index);
      expect = request.expect;
      answer = '';
      sent = performance.now();
      socket.write(request.bytes);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.setEncoding('latin1');
    socket.on('data', (data: string) => {
      answer += data;
      if (!isWhole(answer, data)) return;
      if (!answer.includes(expect)) return reject(new Error(`unexpected answer: ${answer.slice(0, 500)}`));
      const now = performance.now();
      latencies.push(now - sent);
      if (now < deadline) return send();
      socket.removeAllListeners('close');
      socket.end();
      resolve();
    });
  });
}
