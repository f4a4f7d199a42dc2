// Tasks by the million. Not in the counter: each whole collection looks at every one of them, whatever is measured beside them.
import { environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { announce } from './announce.ts';
import { API_KEY } from './api-key.ts';

const tasks = (length: number) => Array.from({ length }, (_, start) => ({ start }));

const catalog = environment({
  name: 'catalog',
  splits: {
    ten: tasks(10),
    million: tasks(1_000_000),
    counted: { type: 'train', count: 1_000_000, get: (start) => ({ start }) },
  },
  prompt: () => 'Look something up.',
  tools: { look: { run: () => 'nothing' } },
});

const server = await createServer({
  environments: [catalog],
  auth: { apiKeys: [API_KEY] },
  logger: { level: 'info' },
});
announce(Number(new URL(await server.listen({ port: 0 })).port));
