import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** A call as it came over HTTP, and where its answer goes: through Fastify, or past it (see call-lane.ts). */
export interface CallExchange {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The key of its session. */
  readonly key: string;
  /** The environment, as the path names it. */
  readonly environment: string;
  readonly response: ServerResponse;
  /** From now on the answer is written to the response; gives the headers that others have set. */
  takeOver(): OutgoingHttpHeaders;
  /** Answers with an error, by status. */
  fail(error: Error): void;
}
