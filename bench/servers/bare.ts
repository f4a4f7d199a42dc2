// The floor for large results: node:http alone. It makes the same text, writes it as JSON, and sends that in one event.
import { createServer } from 'node:http';
import { announce } from './announce.ts';

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (data) => {
    text += data;
  });
  request.on('end', () => {
    const { piece, count } = JSON.parse(text).input;
    const blocks = [{ text: piece.repeat(count), detail: null, type: 'text' }];
    const json = JSON.stringify({ ok: true, output: { blocks, metadata: null, reward: null, finished: false } });
    const body = Buffer.from(`event: end\ndata: ${json}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) announce(address.port);
});
