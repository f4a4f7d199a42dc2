import type { JsonObject, JsonValue } from '../../../src/protocol/index.ts';

/** A server of a report of `tiltyard bench --json`. */
export interface MeasuredServer {
  readonly name: string;
  readonly url: string;
  /** What was counted: `call`, `episode`. */
  readonly unit: string;
  readonly perSecond: number;
  readonly completed: number;
  readonly failed: number;
  /** In ms. */
  readonly latency: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
  readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}

// As many as can be told apart.
const BARS = 30;

/** The servers of a report. A file may be of another version, or somebody's own: what cannot be read is left out. */
export function readReport(report: JsonObject): MeasuredServer[] {
  const servers = Array.isArray(report.servers) ? report.servers : [];
  return servers.flatMap((server) => {
    if (!isObject(server) || !isObject(server.latencyMs)) return [];
    const { latencyMs } = server;
    const latency = {
      p50: toNumber(latencyMs.p50),
      p90: toNumber(latencyMs.p90),
      p99: toNumber(latencyMs.p99),
      max: toNumber(latencyMs.max),
    };
    return [
      {
        name: String(server.name ?? ''),
        url: String(server.url ?? ''),
        unit: String(report.unit ?? 'call'),
        perSecond: isObject(server.perSecond)
          ? toNumber(server.perSecond.median ?? server.perSecond.mean)
          : toNumber(server.perSecond),
        completed: toNumber(server.completed),
        failed: toNumber(server.failed),
        latency,
        bins: toBars(server.histogram, latency.p99 * 1.5),
      },
    ];
  });
}

/** Buckets of a report as bars of the same width, up to where nearly all of them are. */
function toBars(histogram: JsonValue | undefined, upTo: number): MeasuredServer['bins'] {
  if (!Array.isArray(histogram) || upTo <= 0) return [];
  const width = upTo / BARS;
  const counts = new Array<number>(BARS).fill(0);
  for (const bucket of histogram) {
    if (!Array.isArray(bucket)) continue;
    const [from, , count] = bucket.map(toNumber);
    const bar = Math.min(BARS - 1, Math.floor((from ?? 0) / width));
    counts[bar] = (counts[bar] ?? 0) + (count ?? 0);
  }
  return counts.map((count, bar) => ({ from: bar * width, to: (bar + 1) * width, count }));
}

function toNumber(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
