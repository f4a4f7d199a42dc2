import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { StudioRoutes } from '../api.ts';
import { Fields } from '../shared/fields.ts';

/** What a handler gets. */
export interface Asked {
  /** A part of the path, decoded. */
  param(name: string): string;
  /** The same as a whole number. */
  number(name: string): number;
  readonly query: Fields;
  readonly body: Fields;
}

/** The handlers of routes: each answers in the form that the contract has for it. */
export type Handlers = {
  readonly [Name in keyof StudioRoutes]?: (
    asked: Asked,
  ) => StudioRoutes[Name]['answer'] | Promise<StudioRoutes[Name]['answer']>;
};

/** Registers handlers by the names that the contract gives their routes. */
export function serveRoutes(app: FastifyInstance, handlers: Handlers): void {
  for (const [name, handle] of Object.entries(handlers)) {
    const [method = '', url = ''] = name.split(' ');
    app.route({
      method,
      url,
      handler: async (request) => handle(toAsked(request)),
    });
  }
}

function toAsked(request: FastifyRequest): Asked {
  const params = request.params as Readonly<Record<string, string>>;
  return {
    param: (name) => params[name] ?? '',
    number: (name) => new Fields(params, 'the path').count(name),
    get query() {
      return new Fields(request.query, 'the query');
    },
    get body() {
      return new Fields(request.body ?? {});
    },
  };
}
