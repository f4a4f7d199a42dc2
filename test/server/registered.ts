import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { startServer, type TestOptions, type TestServer } from '../support/http.ts';

/** A route as Fastify was given it. */
export interface RegisteredRoute {
  readonly method: string;
  readonly url: string;
}

/** Starts a server and notes every route that it registers, without asking our own code for them. */
export async function startWatched(options: TestOptions): Promise<[server: TestServer, routes: RegisteredRoute[]]> {
  const routes: RegisteredRoute[] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      routes.push(...[method].flat().map((each) => ({ method: each, url })));
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    return [await startServer(options), routes];
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}
