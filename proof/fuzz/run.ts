import { random } from '../random.ts';
import { Connection, type FuzzAnswer } from './exchange.ts';
import { type FuzzRequest, fuzzRequest } from './requests.ts';

/** How much is sent. */
export interface FuzzOptions {
  readonly port: number;
  readonly requests: number;
  readonly connections: number;
  readonly seed: number;
  readonly onProgress?: (sent: number) => void;
}

/** What came of it. */
export interface FuzzResult {
  readonly sent: number;
  /** Answers by status; 0 are connections that the server closed without one. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What must not happen, each with the request that did it. */
  readonly offences: readonly string[];
}

const TIMEOUT_MS = 20_000;
// More would say nothing new.
const MAX_OFFENCES = 20;

/** Sends malformed requests and looks at every answer. */
export async function fuzz({ port, requests, connections, seed, onProgress }: FuzzOptions): Promise<FuzzResult> {
  const statuses = new Map<number, number>();
  const offences: string[] = [];
  let sent = 0;
  const drive = async (index: number) => {
    const choices = random(seed + index);
    const sids = Array.from({ length: 4 }, (_, number) => `fuzz-${index}-${number}`);
    const connection = new Connection(port, TIMEOUT_MS);
    while (sent < requests && offences.length < MAX_OFFENCES) {
      sent += 1;
      if (sent % 1_000 === 0) onProgress?.(sent);
      const request = fuzzRequest(choices, sids);
      try {
        const answer = await connection.exchange(request.bytes, request.method);
        statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1);
        const offence = offenceOf(request, answer);
        if (offence !== undefined) offences.push(`${offence}\n${show(request)}`);
      } catch (thrown) {
        offences.push(`${(thrown as Error).message}\n${show(request)}`);
      }
      // After a broken request the server may take what follows for part of it.
      if (!request.isWhole) connection.close();
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => drive(index)));
  return { sent, statuses, offences };
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
    return `status ${status} with a body that is no JSON: ${body.slice(0, 200)}`;
  }
}

function show({ bytes }: FuzzRequest): string {
  return JSON.stringify(bytes.subarray(0, 600).toString('latin1'));
}
