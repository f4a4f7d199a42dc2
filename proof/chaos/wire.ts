import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How bytes are sent, and how badly. */
export interface Manners {
  /** In how many pieces, with a pause between them. */
  readonly pieces?: number;
  readonly pauseMs?: number;
  /** Leaves this long after everything was sent, whatever has come back. */
  readonly leaveAfterMs?: number;
  /** Stops reading for this long once the answer has begun. */
  readonly readPauseMs?: number;
}

/** One answer on a connection. */
export interface WireAnswer {
  readonly status: number;
  /** The outcome of a call that failed, as OXP's answers tell it. */
  readonly outcome: string | undefined;
  readonly body: string;
  /** Whether all of it has come. */
  readonly isWhole: boolean;
}

/** A POST as bytes, after which the server closes the connection unless it is told to keep it. */
export function toPost(path: string, sid: string, body: unknown, connection: 'close' | 'keep-alive' = 'close'): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `X-Session-ID: ${sid}`,
    `Connection: ${connection}`,
    'Accept: text/event-stream, application/json',
    ...(json === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${json}`);
}

/** Sends bytes on a connection of their own and gives all answers that came before it closed; never rejects. */
export async function transmit(port: number, bytes: Buffer, manners: Manners = {}): Promise<WireAnswer[]> {
  const { pieces = 1, pauseMs = 0, leaveAfterMs, readPauseMs } = manners;
  const received: Buffer[] = [];
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // What breaks the connection shows as its end.
  socket.on('error', () => {}).on('data', (packet) => received.push(packet));
  if (readPauseMs !== undefined) {
    socket.once('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), readPauseMs);
    });
  }
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    if (at > 0) await pause(pauseMs);
    socket.write(bytes.subarray(at, at + size));
  }
  if (leaveAfterMs !== undefined) {
    await Promise.race([pause(leaveAfterMs), closed]);
    socket.destroy();
  }
  await closed;
  return toAnswers(Buffer.concat(received));
}

function toAnswers(bytes: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = bytes; ; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const head = rest.subarray(0, end).toString('latin1');
    const status = Number(head.slice(9, 12));
    const body = rest.subarray(end + 4);
    const length = /^content-length: (\d+)/im.exec(head);
    const { text, after } = length === null ? readChunks(body) : readLength(body, Number(length[1]));
    const outcome = /^tiltyard-outcome: (\w+)/im.exec(head)?.[1];
    answers.push({ status, outcome, body: text, isWhole: after !== undefined });
    if (after === undefined) return answers;
    rest = after;
  }
}

interface Read {
  readonly text: string;
  /** What follows it; undefined if it has not all come. */
  readonly after: Buffer | undefined;
}

function readLength(body: Buffer, length: number): Read {
  return {
    text: body.subarray(0, length).toString(),
    after: body.length < length ? undefined : body.subarray(length),
  };
}

function readChunks(body: Buffer): Read {
  const pieces: Buffer[] = [];
  const text = () => Buffer.concat(pieces).toString();
  for (let rest = body; ; ) {
    const end = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.subarray(0, Math.max(end, 0)).toString('latin1'), 16);
    const next = end + 2 + size + 2;
    if (end < 0 || Number.isNaN(size) || rest.length < next) return { text: text(), after: undefined };
    if (size === 0) return { text: text(), after: rest.subarray(next) };
    pieces.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(next);
  }
}
