import type { FastifyInstance } from 'fastify';
import { version } from '../../version.ts';
import type { RouteDocs } from '../openapi/operation.ts';
import { refuseOtherMethods } from './methods.ts';

/** What a server has; left out where it has none of it. */
export interface HomeContents {
  /** The names of its environments. */
  readonly environments?: readonly string[];
  /** Where its tools are listed. */
  readonly tools?: '/tools';
}

/** Registers GET /, for somebody who opens the URL of a server to see what is there. */
export function registerHome(app: FastifyInstance, docs: RouteDocs, has: HomeContents): void {
  // In this order and on lines of its own, since it is a person who reads it.
  const home = { server: 'tiltyard', version, ...has, openapi: '/openapi.json' };
  const text = `${JSON.stringify(home, null, 2)}\n`;
  refuseOtherMethods(app, () => {
    app.get('/', docs, async (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  });
}
