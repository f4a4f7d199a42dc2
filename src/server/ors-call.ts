import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TiltyardError } from '../core/index.ts';
import type { Call } from '../sessions/index.ts';
import { readCall } from './bodies.ts';
import { CallStream } from './call-stream.ts';
import { isOfficialSdk, readSid } from './headers.ts';
import type { OrsFace } from './ors.ts';

type InEnvironment = { Params: { env: string } };

/** Registers the call of a tool. Not an async handler: the hot path makes no promise that it does not need. */
export function registerCall(app: FastifyInstance, face: OrsFace): void {
  app.post<InEnvironment>('/:env/call', (request, reply) => {
    const sid = readSid(request.headers);
    // The session comes before the body: who calls into a dead session shall hear that first.
    const environment = face.host.environmentOf(sid);
    if (!(environment instanceof Promise)) return start(face, environment, { sid, request, reply });
    return environment.then((name) => start(face, name, { sid, request, reply })).then(() => reply);
  });
}

interface Arrival {
  readonly sid: string;
  readonly request: FastifyRequest<InEnvironment>;
  readonly reply: FastifyReply;
}

function start(face: OrsFace, environment: string, { sid, request, reply }: Arrival): void {
  const wanted = readCall(face.parse(request as FastifyRequest));
  const { env } = request.params;
  if (env !== environment && env.toLowerCase() !== environment) {
    throw new TiltyardError('environment_mismatch', `session '${sid}' runs environment '${environment}', not '${env}'`);
  }
  const envelope =
    face.toolErrors === 'envelope' || (face.toolErrors === 'auto' && isOfficialSdk(request.headers['user-agent']));
  const answer = (call: Call) =>
    void new CallStream({ call, reply, envelope, onRefused: () => face.host.forget(sid, call) }, face.streams);
  const call = face.host.call(sid, wanted);
  if (call instanceof Promise) call.then(answer, (error) => reply.send(error));
  else answer(call);
}
