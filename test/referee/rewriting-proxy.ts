import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as it passed. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a server answered, or shall have answered. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
  /** Whether the connection stays open after it. */
  readonly isOpenEnded?: boolean;
}

/** Changes an answer; undefined leaves it. */
export type Rewrite = (passed: Passed, reply: Reply) => Partial<Reply> | undefined;

/** A proxy that changes what a server answers, so that it breaks one rule; it ends with the test. */
export async function startRewritingProxy(target: string, rewrite: Rewrite): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ maxHeaderSize: 128 * 1024 }, async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = await textOf(request);
    const { connection: _connection, ...passedOn } = headers;
    const outgoing = send(new URL(target), { method, path, headers: passedOn, agent });
    outgoing.end(body);
    const [incoming] = await once(outgoing, 'response');
    const { 'transfer-encoding': _encoding, 'content-length': _length, ...kept } = incoming.headers;
    const reply: Reply = { status: incoming.statusCode, headers: kept, text: await textOf(incoming) };
    const {
      status,
      headers: changed,
      text,
      isOpenEnded,
    } = { ...reply, ...rewrite({ method, path, headers, body }, reply) };
    response.writeHead(status, changed);
    if (isOpenEnded) response.write(text);
    else response.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const packets: Buffer[] = [];
  for await (const packet of stream) packets.push(packet);
  return Buffer.concat(packets).toString();
}
