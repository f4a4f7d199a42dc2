import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { ClientError } from '../../client/index.ts';
import { RecordError } from '../../records/index.ts';
import { RunFolderError } from '../../rollouts/index.ts';
import type { ErrorAnswer, Problem } from '../api.ts';
import { type ToMessage, toProblem } from '../shared/client-problem.ts';
import { Refusal } from '../shared/refusal.ts';
import type { Gate } from './gate.ts';
import { SAFE_HEADERS } from './page.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may use a route of the studio before they have entered. Left out: nobody, as for addresses without a route. */
    openTo?: 'anyone' | 'own page';
  }
}

// The largest task or input that a person may edit.
const BODY_BYTES = 8 * 2 ** 20;

/** Makes the studio's web server: what every request passes, and how failures are told. */
export function studioApp(gate: Gate, toMessage?: ToMessage): FastifyInstance {
  const answerError = (error: unknown, reply: FastifyReply) => {
    const [status, problem] = toAnswer(error, toMessage);
    return reply.code(status).send({ error: problem } satisfies ErrorAnswer);
  };
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1_000 },
    // Of addresses that cannot be decoded, or are too long: no hook hears of them.
    frameworkErrors: (error, _request, reply) => void answerError(error, reply.headers(SAFE_HEADERS)),
  });
  // The only type that no form of another page can send.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? {} : JSON.parse(text as string));
    } catch {
      done(new Refusal(400, 'bad_request', 'the body is not JSON'));
    }
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SAFE_HEADERS);
    gate.assertHost(request.headers);
    // The route that was matched decides, never the address: an address can be spelled in many ways.
    const { openTo } = request.routeOptions.config;
    if (openTo === 'anyone') return;
    gate.assertOwnPage(request.headers);
    reply.header('cache-control', 'no-store');
    if (openTo !== 'own page') gate.assertEntered(request.headers);
  });
  app.setNotFoundHandler((request) => {
    throw new Refusal(404, 'not_found', `there is no ${request.method} ${request.url.split('?')[0]}`);
  });
  app.setErrorHandler((error, _request, reply) => answerError(error, reply));
  return app;
}

function toAnswer(error: unknown, toMessage: ToMessage | undefined): [status: number, problem: Problem] {
  if (error instanceof Refusal) return [error.status, error.toProblem()];
  // What the server that was asked said; the studio itself is well.
  if (error instanceof ClientError) return [502, toProblem(error, toMessage)];
  if (error instanceof RecordError || error instanceof RunFolderError)
    return [409, { ...toProblem(error), code: 'unreadable' }];
  const { statusCode = 500, message } = error as Error & { readonly statusCode?: number };
  if (statusCode < 500) return [statusCode, new Refusal(statusCode, 'bad_request', message).toProblem()];
  return [500, toProblem(error)];
}
