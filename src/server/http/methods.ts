import { METHODS as KNOWN_METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';

// All that Node's parser takes, WebDAV's included; CONNECT asks for a tunnel, not for a path.
const METHODS: readonly string[] = KNOWN_METHODS.filter((method) => method !== 'CONNECT');

/** Registers routes, and answers 405 with Allow on the methods that none of them takes. */
export function refuseOtherMethods(app: FastifyInstance, register: () => void): void {
  const taken = new Map<string, Set<string>>();
  let registering = true;
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.addHook('onRoute', ({ path, method }) => {
    if (!registering) return;
    const methods = taken.get(path) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    taken.set(path, methods);
  });
  register();
  registering = false;
  for (const [path, methods] of taken) {
    const allow = METHODS.filter((method) => methods.has(method)).join(', ');
    app.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url: path.slice(app.prefix.length),
      exposeHeadRoute: false,
      // Before the body is read; the error handler says it in the words of its protocol.
      onRequest: ({ method }, reply, done) => {
        reply.header('allow', allow);
        done(Object.assign(new Error(`${method} is not allowed on ${path}: use ${allow}`), { statusCode: 405 }));
      },
      handler: () => {},
    });
  }
}
