import { randomBytes } from 'node:crypto';
import { type Endpoint, type RequestParts, toRequest } from './endpoint.ts';

const DIGITS = 10;

/**
 * Makes requests that have an id of their own somewhere in them, as `toParts` puts it there. They differ in the end of the id
 * alone, so that only that is written anew for each.
 */
export function numberedRequests(endpoint: Endpoint, toParts: (id: string) => RequestParts): () => Buffer {
  const prefix = `bench-${randomBytes(8).toString('hex')}-`;
  const template = toRequest(endpoint, toParts(prefix + '0'.repeat(DIGITS)));
  const place = template.indexOf(prefix) + prefix.length;
  let count = 0;
  return () => {
    count += 1;
    // A copy: the socket may not have written the one before.
    const request = Buffer.from(template);
    request.write(String(count).padStart(DIGITS, '0'), place, 'latin1');
    return request;
  };
}
