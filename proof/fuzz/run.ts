import { random } from '../random.ts';
import { Connection, type FuzzAnswer } from './exchange.ts';
import { deafTo, flood } from './floods.ts';
import { type FuzzRequest, floodRequest, fuzzRequest } from './requests.ts';

/** What is sent; the same seed sends the same on each connection. */
export interface FuzzOptions {
  readonly port: number;
  /** All together; each connection sends an equal share. */
  readonly requests: number;
  readonly connections: number;
  readonly seed: number;
  /** Sends only what this one of the connections would, to look at an offence again. */
  readonly only?: number | undefined;
  readonly onProgress?: ((sent: number) => void) | undefined;
}

/** What came of it. */
export interface FuzzResult {
  readonly sent: number;
  /** Answers by status; 0 are connections that the server closed without one. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What must not happen, each with the request that did it and the one before. */
  readonly offences: readonly string[];
}

const TIMEOUT_MS = 20_000;
// How often a connection of its own brings many requests at once.
const FLOODS = 0.001;
// More would say nothing new.
const MAX_OFFENCES = 20;

/** Sends malformed requests and looks at every answer. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { requests, connections, only } = options;
  const tally: Tally = { sent: 0, statuses: new Map(), offences: [] };
  const share = Math.ceil(requests / connections);
  const indexes = Array.from({ length: connections }, (_, index) => index);
  await Promise.all(
    indexes.filter((index) => index === (only ?? index)).map((index) => drive(options, index, share, tally)),
  );
  return tally;
}

interface Tally {
  sent: number;
  readonly statuses: Map<number, number>;
  readonly offences: string[];
}

async function drive(
  { port, seed, onProgress }: FuzzOptions,
  index: number,
  share: number,
  tally: Tally,
): Promise<void> {
  const choices = random(seed + index);
  const sids = Array.from({ length: 4 }, (_, number) => `fuzz-${index}-${number}`);
  const connection = new Connection(port, TIMEOUT_MS);
  let previous = '(the first request of this connection)';
  for (let number = 0; number < share && tally.offences.length < MAX_OFFENCES; number += 1) {
    if (choices.chance(FLOODS)) {
      const burst = floodRequest(choices, sids);
      const count = 1 + choices.below(2_000);
      // One reads all answers, the other none.
      const unanswered = choices.chance(0.5)
        ? await flood(port, burst.bytes, count)
        : await deafTo(port, burst.bytes, count);
      if (unanswered > 0)
        tally.offences.push(`connection ${index}: ${unanswered} of ${count} requests in a row got no answer`);
      tally.sent += count;
    }
    const request = fuzzRequest(choices, sids);
    const offence = await send(connection, request, tally);
    if (offence !== undefined)
      tally.offences.push(
        `connection ${index}, request ${number}: ${offence}\n${show(request)}\nafter it had sent\n${previous}`,
      );
    previous = show(request);
    // After a broken request the server may take what follows for part of it.
    if (!request.isWhole) connection.close();
    tally.sent += 1;
    onProgress?.(tally.sent);
  }
  connection.close();
}

async function send(connection: Connection, request: FuzzRequest, { statuses }: Tally): Promise<string | undefined> {
  try {
    const answer = await connection.exchange(request.bytes, request.method);
    const status = answer?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return offenceOf(request, answer);
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function offenceOf({ method, isWhole }: FuzzRequest, answer: FuzzAnswer | undefined): string | undefined {
  if (answer === undefined) return isWhole ? 'a whole request got no answer' : undefined;
  const { status, head, body } = answer;
  if (status >= 500) return `status ${status}: ${body.slice(0, 300)}`;
  if (status < 400 || method === 'HEAD') return undefined;
  if (!/^content-type: application\/json/im.test(head)) return `status ${status} without a JSON body: ${head}`;
  const json = body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1);
  try {
    const { detail, message } = JSON.parse(Buffer.from(json, 'latin1').toString()) as Record<string, unknown>;
    return typeof (detail ?? message) === 'string' ? undefined : `status ${status} says nothing: ${json.slice(0, 200)}`;
  } catch {
    return `status ${status} with a body that is not JSON: ${body.slice(0, 200)}`;
  }
}

function show({ bytes }: FuzzRequest): string {
  return JSON.stringify(bytes.subarray(0, 600).toString('latin1'));
}
