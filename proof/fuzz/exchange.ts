import { connect, type Socket } from 'node:net';

/** What came back for a request. */
export interface FuzzAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** One connection that sends requests one after the other, and is made anew whenever the server has closed it. */
export class Connection {
  readonly #port: number;
  readonly #timeoutMs: number;
  #socket: Socket | undefined;

  constructor(port: number, timeoutMs: number) {
    this.#port = port;
    this.#timeoutMs = timeoutMs;
  }

  /** The answer; undefined if the server closed the connection without one; rejects when it stays silent. */
  exchange(bytes: Buffer, method: string): Promise<FuzzAnswer | undefined> {
    const socket = this.#open();
    return new Promise((resolve, reject) => {
      let received = '';
      const end = () => {
        clearTimeout(timer);
        socket.off('data', onData).off('close', onClose);
      };
      const onData = (data: string) => {
        received += data;
        const answer = parse(received, method);
        if (answer === undefined) return;
        end();
        if (/^connection: close/im.test(answer.head)) this.close();
        resolve(answer);
      };
      const onClose = () => {
        end();
        this.close();
        resolve(parse(received, method, 'closed'));
      };
      // Connecting is part of it: nothing may take for ever.
      const timer = setTimeout(() => {
        end();
        this.close();
        reject(new Error(`no answer within ${this.#timeoutMs} ms; so far: ${JSON.stringify(received.slice(0, 200))}`));
      }, this.#timeoutMs);
      socket.on('data', onData).on('close', onClose);
      socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    if (this.#socket?.readyState === 'open') return this.#socket;
    this.close();
    // What breaks the connection shows as its end.
    this.#socket = connect(this.#port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    return this.#socket.on('error', () => {});
  }
}

function parse(received: string, method: string, phase: 'open' | 'closed' = 'open'): FuzzAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(received);
  if (end < 0 || status === null) return undefined;
  const head = received.slice(0, end);
  const body = received.slice(end + 4);
  const answer = { status: Number(status[1]), head, body };
  // An interim answer: the real one follows.
  if (answer.status < 200) return parse(body, method, phase);
  if (method === 'HEAD' || answer.status === 204 || answer.status === 304) return answer;
  const length = /^content-length: (\d+)/im.exec(head);
  if (length !== null) {
    const bytes = Number(length[1]);
    // What follows is another answer, to the broken rest of the request.
    return body.length >= bytes ? { ...answer, body: body.slice(0, bytes) } : undefined;
  }
  if (phase === 'closed') return answer;
  if (!/^transfer-encoding: chunked/im.test(head)) return undefined;
  return body === '0\r\n\r\n' || body.endsWith('\r\n0\r\n\r\n') ? answer : undefined;
}
