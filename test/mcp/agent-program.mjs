// A small agent that speaks MCP: `node agent-program.mjs <how> [url] [prompt file]`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [how, url = process.env.TILTYARD_URL, promptFile] = process.argv.slice(2);
if (how === 'never') process.exit(3);
if (how === 'bytes') {
  // Everything that it can hear, as it comes over the line.
  const { hostname, port, pathname } = new URL(url);
  for (const { headers, body } of JSON.parse(process.env.MESSAGES)) {
    const sent = { host: hostname, connection: 'close', 'content-length': Buffer.byteLength(body), ...headers };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`),
    );
    socket.on('data', (packet) => appendFileSync(process.env.SNOOP_FILE, packet));
    await once(socket, 'close');
  }
  process.exit(0);
}

const input = await text(process.stdin);
const prompt = promptFile === undefined ? input : readFileSync(promptFile, 'utf8');
const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
if (how === 'list') process.exit(0);

const [, a, b] = /What is (\d+) times (\d+)/.exec(prompt) ?? [];
const call = async (name, args) => {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return `${isError === true ? 'error: ' : ''}${content.map((block) => block.text ?? block.type).join(' ')}`;
};

if (how === 'look') console.log(await call('look', {}));
if (how === 'talk') for (let time = 0; time < 5; time += 1) console.log(await call('look', {}));
if (how === 'snoop') {
  const { origin } = new URL(url);
  const statuses = await Promise.all(
    ['/quiz/tasks', '/create', '/delete', '/list_environments'].map(async (path) => {
      const { status } = await fetch(origin + path, { method: 'POST', headers: { 'x-session-id': 'a' } });
      return status;
    }),
  );
  const seen = { statuses, files: readdirSync('.'), env: process.env, prompt, tools: tools.map(({ name }) => name) };
  writeFileSync(process.env.SNOOP_FILE, JSON.stringify(seen));
}
if (['play', 'linger', 'snoop'].includes(how)) {
  console.log(await call('submit', { answer: String(a * b) }));
  console.log(await call('submit', { answer: 'once more' }));
}
if (how === 'linger') {
  // It and what it has started hear no signal but the last one.
  process.on('SIGTERM', () => console.log('not yet'));
  const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', deaf], { stdio: 'ignore' });
  writeFileSync(process.env.SNOOP_FILE, JSON.stringify([process.pid, child.pid]));
  setInterval(() => {}, 1_000);
} else await client.close();
