// This server with everything on: validation, kept results, a log line for each request.
import { createServer } from 'tiltyard/server';
import { announce } from './announce.ts';
import { counter, counterKit } from './counter.ts';

const server = await createServer({
  environments: [counter],
  toolkits: [counterKit],
  logger: { level: 'info' },
  // The measurement holds so many at once, and a few more.
  limits: { maxSessions: 200_000 },
});
const url = await server.listen();
announce(Number(new URL(url).port));
