import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SessionRef } from '../../sessions/index.ts';
import { readSid } from '../http/headers.ts';
import type { Authenticator } from './authenticator.ts';
import { ANYBODY, type Identity, NOBODY } from './identity.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the request comes from, once that is known. */
    tiltyardIdentity: Identity | null;
  }
}

/**
 * Finds out who each request of this scope comes from; `onUnknown` may say it in the words of its protocol. Without auth
 * there is nothing to find out, and nothing is done for a request.
 */
export function identifyCallers(
  app: FastifyInstance,
  authenticator: Authenticator | undefined,
  {
    isOpen,
    onUnknown = (error) => error,
  }: { isOpen: (request: FastifyRequest) => boolean; onUnknown?: (error: Error, request: FastifyRequest) => Error },
): void {
  if (authenticator === undefined) {
    app.decorateRequest('tiltyardIdentity', { getter: () => ANYBODY });
    return;
  }
  app.decorateRequest('tiltyardIdentity', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request;
    const welcome = (identity: Identity) => {
      request.tiltyardIdentity = identity;
      done();
    };
    const known = authenticator.recognize(headers);
    if (known !== undefined) return welcome(known);
    authenticator.verify(headers).then(welcome, (error) => {
      // Asked last, because Fastify makes an object of a route's options each time.
      if (isOpen(request)) done();
      else done(onUnknown(error, request));
    });
  });
}

/** Who a request comes from; nobody until that is known, so that a route that does not ask gives nothing away. */
export function identityOf(request: FastifyRequest): Identity {
  return request.tiltyardIdentity ?? NOBODY;
}

/** The session that a request names; an error says how to name one. */
export function readSessionRef(request: FastifyRequest): SessionRef {
  return { identity: identityOf(request).id, sid: readSid(request.headers) };
}
