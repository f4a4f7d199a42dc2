import type { TestServer } from '../support/http.ts';
import { type Contract, contractOf } from './contract.ts';
import { type Operation, operationsOf } from './operations.ts';

/** A server as its own OpenAPI document describes it. */
export interface Described {
  readonly document: any;
  readonly operations: readonly Operation[];
  readonly contract: Contract;
  /** An operation by its name, such as `POST /math/call`. */
  find(name: string): Operation;
}

/** Reads what a server says of itself. */
export async function describedBy(
  server: Pick<TestServer, 'get'>,
  headers: Record<string, string> = {},
): Promise<Described> {
  const { status, text, json: document } = await server.get('/openapi.json', { headers });
  if (status !== 200) throw new Error(`/openapi.json answered ${status}: ${text}`);
  const operations = operationsOf(document);
  return {
    document,
    operations,
    contract: contractOf(document),
    find(name) {
      const found = operations.find((each) => each.name === name);
      if (found === undefined) throw new Error(`${name} is not described`);
      return found;
    },
  };
}
