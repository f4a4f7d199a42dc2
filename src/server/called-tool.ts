import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tool that the request calls, for the log. */
    tiltyardTool: string | null;
  }
}

// The name is the client's text until the tool is found.
const LONGEST_NAME = 100;

/** Lets the requests of this scope say which tool they call. */
export function noteTools(app: FastifyInstance): void {
  app.decorateRequest('tiltyardTool', null);
}

/** Says which tool a request calls. */
export function noteTool(request: FastifyRequest, name: string): void {
  request.tiltyardTool = name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name;
}

/** The tool that a request calls, if it calls one. */
export function calledTool(request: FastifyRequest): string | undefined {
  return request.tiltyardTool ?? undefined;
}
