import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import { INSTANCE_HEADER } from '../../protocol/index.ts';

/**
 * What tells a server from the one before its restart, and from its neighbours behind the same address. It says where the ids of
 * calls are known: to send a call again is safe there, and nowhere else.
 */
export interface Instance {
  readonly id: string;
  /** Its header, made once for all answers. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Where ids of calls live in the memory of their server, each server is a new one; where they live in a journal, it is the same for as
 * long as the journal.
 */
export function newInstance(id: string = randomUUID()): Instance {
  return { id, headers: Object.freeze({ [INSTANCE_HEADER]: id }) };
}

/** Throws for a request that only another instance may answer: its client has sent the same one there. */
export function refuseForAnother(headers: IncomingHttpHeaders, { id }: Instance): void {
  if ((headers[INSTANCE_HEADER] ?? id) === id) return;
  throw new TiltyardError(
    'other_instance',
    `this is instance ${id}, and the request is for another: the server has restarted, or several share this address. Nothing ran; leave out X-Tiltyard-Instance to send the request to any instance`,
  );
}

/** Names the instance in every answer of this scope, and refuses what is for another. */
export function serveInstance(app: FastifyInstance, instance: Instance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(instance.headers);
    refuseForAnother(request.headers, instance);
    done();
  });
}
