import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerErrorBody } from '../../protocol/index.ts';
import { OxpError, toServerErrorBody } from '../oxp/errors.ts';
import type { ErrorBody } from './errors.ts';

/** Answers 404 on paths that nothing has; a server of toolkits alone speaks OXP there as well. */
export function notFoundHandler({ hasEnvironments }: { readonly hasEnvironments: boolean }) {
  const toBody = hasEnvironments ? toOrsBody : toOxpBody;
  return ({ method, url }: FastifyRequest, reply: FastifyReply): void => {
    reply.code(404).send(toBody(`${method} ${url} not found. GET /openapi.json lists the routes`));
  };
}

function toOrsBody(detail: string): ErrorBody {
  return { detail };
}

function toOxpBody(developerMessage: string): ServerErrorBody {
  return toServerErrorBody(new OxpError('Not found', { developerMessage }));
}
