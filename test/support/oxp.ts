import { type ConnectOxpOptions, connectOxp, type OxpClient } from 'tiltyard/client';
import { createServer, type ServerOptions } from 'tiltyard/server';
import { onTestFinished } from 'vitest';
import { QUICK } from './client.ts';
import { countedTools } from './counted-tools.ts';
import { type ForeignServer, json, type Route, startForeign } from './foreign.ts';

/** A random UUID, as the client makes them. */
export const UUID: RegExp = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Starts a server that is closed when the test ends. */
export async function startTools(options: ServerOptions): Promise<{ url: string }> {
  const server = await createServer({ logger: false, ...options });
  onTestFinished(() => server.close());
  return { url: await server.listen() };
}

/** Starts a server of the toolkit `Counted`. */
export async function startCounted(options: Omit<ServerOptions, 'toolkits'> = {}) {
  const counts = countedTools();
  return { ...counts, ...(await startTools({ ...options, toolkits: counts.toolkits })) };
}

/** An impatient client. */
export function quickOxp({ url }: { readonly url: string }, options: ConnectOxpOptions = {}): OxpClient {
  return connectOxp(url, { retry: QUICK, ...options });
}

/** A server of another make, with an answer to calls. */
export function startOther(call: Route, routes: Readonly<Record<string, Route>> = {}): Promise<ForeignServer> {
  return startForeign({ 'POST /tools/call': call, ...routes });
}

/** Answers a call with a value, under the id that it came with. */
export const succeed =
  (value: unknown): Route =>
  (exchange) => {
    const { call_id } = exchange.seen.body.request;
    return json({ $schema: 'urn:oxp:1.0', result: { call_id, duration: 3, success: true, value } })(exchange);
  };

/** The ids of the calls that a server was sent. */
export const sentIds = (server: ForeignServer): string[] =>
  server.on('/tools/call').map(({ body }) => body.request.call_id as string);
