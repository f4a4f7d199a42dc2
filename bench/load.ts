import { isProblem } from '../src/cli/bench/load/connection.ts';
import { drive, type Lane, type Player } from '../src/cli/bench/load/drive.ts';
import { toEndpoint } from '../src/cli/bench/load/endpoint.ts';
import type { LoadProblem } from '../src/cli/bench/load/problem.ts';
import type { BenchServer } from './child.ts';
import type { Next } from './requests.ts';

/** A closed loop: each connection begins its next unit when the last one has ended. */
export interface Load {
  readonly server: BenchServer;
  readonly connections: number;
  readonly durationMs: number;
  readonly next: Next;
}

/** What a load measured. */
export interface Measured {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server for each unit. */
  readonly cpuMicros: number;
}

// Until all connections are open.
const WARM_UP_MS = 100;
const TIMEOUT_MS = 30_000;

/** Runs a load with the driver of `tiltyard bench`; rejects if any answer is not the one that was expected. */
export async function measure({ server, connections, durationMs, next }: Load): Promise<Measured> {
  let players = 0;
  const cpuMs: number[] = [];
  const { completed, perSecond, latency, errors } = await drive({
    endpoint: toEndpoint(`http://127.0.0.1:${server.port}`, {}),
    connections,
    durationMs,
    warmUpMs: WARM_UP_MS,
    timeoutMs: TIMEOUT_MS,
    signal: new AbortController().signal,
    createPlayer: (lane) => player(lane, players++, next),
    onWindow: async () => void cpuMs.push(await server.cpuMs()),
  });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${error.count} answers were wrong (${error.kind}): ${error.example}`);
  const [before = 0, after = 0] = cpuMs;
  return {
    count: completed,
    perSecond,
    p50Ms: latency.percentileMicros(0.5) / 1000,
    p99Ms: latency.percentileMicros(0.99) / 1000,
    cpuMicros: ((after - before) * 1000) / completed,
  };
}

function player({ connection }: Lane, index: number, next: Next): Player {
  return {
    isReady: true,
    prepare: async () => undefined,
    async play(): Promise<LoadProblem | undefined> {
      for (const { bytes, expect } of next(index)) {
        const answer = await connection.exchange(bytes);
        if (isProblem(answer)) return answer;
        // From the end, where it is in most answers, and in all large ones.
        if (answer.status !== 200 || answer.body.lastIndexOf(expect) < 0)
          return { kind: 'malformed', detail: `expected ${expect}, got ${answer.body.toString('utf8', 0, 500)}` };
      }
      return undefined;
    },
    end: async () => {},
  };
}
