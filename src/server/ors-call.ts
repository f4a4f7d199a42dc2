import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../core/index.ts';
import { type Call, sidOf } from '../sessions/index.ts';
import { readCall } from './bodies.ts';
import { CallStream } from './call-stream.ts';
import { isOfficialSdk } from './headers.ts';
import { readSessionKey } from './identity.ts';
import type { OrsFace } from './ors.ts';

type InEnvironment = { Params: { env: string } };

/** Registers the call of a tool. Not an async handler: the hot path makes no promise that it does not need. */
export function registerCall(app: FastifyInstance, face: OrsFace): void {
  app.post<InEnvironment>('/:env/call', face.docs.call, (request, reply) => {
    const key = readSessionKey(request as FastifyRequest);
    // The session comes before the body: who calls into a dead session shall hear that first.
    const environment = face.host.environmentOf(key);
    if (!(environment instanceof Promise)) return start(face, environment, { key, request, reply });
    return environment.then((name) => start(face, name, { key, request, reply })).then(() => reply);
  });
}

interface Arrival {
  readonly key: string;
  readonly request: FastifyRequest<InEnvironment>;
  readonly reply: FastifyReply;
}

function start(face: OrsFace, environment: string, { key, request, reply }: Arrival): void {
  const wanted = readCall(face.parse(request as FastifyRequest));
  const { env } = request.params;
  if (env !== environment && env.toLowerCase() !== environment) {
    throw new TiltyardError(
      'environment_mismatch',
      `session '${sidOf(key)}' runs environment '${environment}', not '${env}'`,
    );
  }
  const envelope =
    face.toolErrors === 'envelope' || (face.toolErrors === 'auto' && isOfficialSdk(request.headers['user-agent']));
  const { traceOf } = face;
  const traced = traceOf === undefined ? wanted : { ...wanted, trace: traceOf(request as FastifyRequest) };
  const answer = (call: Call) => void new CallStream({ call, key, reply, envelope }, face.streams);
  const call = face.host.call(key, traced);
  if (call instanceof Promise) call.then(answer, (error) => reply.send(error));
  else answer(call);
}
