import { arrayOf, json, type Operation, object } from './operation.ts';

/** GET /. */
export const HOME: Operation = {
  operationId: 'home',
  summary: 'What this server is',
  tags: ['server'],
  responses: {
    200: json(
      'Its version, its environments, and where its tools and its routes are listed.',
      object(
        {
          server: { type: 'string', enum: ['tiltyard'] },
          version: { type: 'string' },
          environments: arrayOf({ type: 'string' }),
          tools: { type: 'string' },
          openapi: { type: 'string' },
        },
        ['environments', 'tools'],
      ),
    ),
  },
};

/** GET /health, the same for every protocol. */
export const HEALTH: Operation = {
  operationId: 'health',
  summary: 'Whether the server takes requests',
  tags: ['server'],
  security: [],
  responses: {
    200: json('It does.', object({ status: { type: 'string', enum: ['ok'] } })),
    503: json(
      'It is stopping.',
      object({ status: { type: 'string', enum: ['stopping'] }, detail: { type: 'string' } }),
    ),
  },
};

/** GET /metrics. */
export const METRICS: Operation = {
  operationId: 'metrics',
  summary: 'What the server does, in numbers',
  description:
    'Sessions and calls by outcome, how long they take, what waits, and memory. Agents may not see it; the scope `metrics` sees nothing else.',
  tags: ['server'],
  responses: {
    200: {
      description: 'All metrics, in the text format of Prometheus.',
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
  },
};

/** GET /events. */
export const EVENTS: Operation = {
  operationId: 'events',
  summary: 'What happens to sessions and calls, while it happens',
  description:
    'Server-sent events whose data is JSON with a `type`: first `sessions` with all that are open, then `session` and `call` whenever ' +
    'one of them begins or ends. A reader that is too slow misses the oldest events, and `dropped` tells how many. Callers hear of ' +
    'sessions of their own identity, and with the scope `events` of all. Agents may not listen.',
  tags: ['server'],
  parameters: [
    {
      name: 'session',
      in: 'query',
      description: 'Only events of the session with this id.',
      schema: { type: 'string' },
    },
    {
      name: 'content',
      in: 'query',
      description: '1: also prompts (`prompt`), inputs (`input`) and results (`output`) of calls, without secrets.',
      schema: { type: 'string', enum: ['0', '1'] },
    },
  ],
  responses: {
    200: {
      description: 'Events, until the connection ends.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
  },
};

/** GET /openapi.json. */
export const OPENAPI: Operation = {
  operationId: 'openapi',
  summary: 'This document',
  tags: ['server'],
  responses: {
    200: json(
      'The routes of this server, as OpenAPI 3.1.',
      object({
        openapi: { type: 'string', pattern: '^3\\.1\\.' },
        info: { type: 'object' },
        paths: { type: 'object' },
      }),
    ),
  },
};
