// The floor: node:http alone, doing the least that a tool call needs. Answers are given in one batch a turn.
import { createServer, type ServerResponse } from 'node:http';
import { announce } from './announce.ts';

const body =
  'event: task_id\ndata: 877bb56c594e4a0f921ad55c439a3762\n\n' +
  'event: end\ndata: {"ok":true,"output":{"blocks":[{"text":"12","detail":null,"type":"text"}],"metadata":null,"reward":0.5,"finished":false}}\n\n';
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'content-length': Buffer.byteLength(body),
};

let waiting: ServerResponse[] = [];
function flush(): void {
  const batch = waiting;
  waiting = [];
  for (const response of batch) {
    response.writeHead(200, headers);
    response.end(body);
  }
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (data) => {
    text += data;
  });
  request.on('end', () => {
    JSON.parse(text);
    if (waiting.push(response) === 1) setImmediate(flush);
  });
});
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) announce(address.port);
});
