import type { Lag } from './usage.ts';

const TIMEOUT_MS = 2_000;

// As prom-client names them, and as servers of Tiltyard do.
const PATTERNS = {
  meanMs: ['nodejs_eventloop_lag_mean_seconds(?:\\{[^}\\n]*\\})?'],
  p50Ms: ['tiltyard_event_loop_lag_seconds\\{quantile="0.5"\\}'],
  p99Ms: [
    'nodejs_eventloop_lag_p99_seconds(?:\\{[^}\\n]*\\})?',
    'tiltyard_event_loop_lag_seconds\\{quantile="0.99"\\}',
  ],
  maxMs: ['nodejs_eventloop_lag_max_seconds(?:\\{[^}\\n]*\\})?', 'tiltyard_event_loop_lag_seconds\\{quantile="1"\\}'],
} as const;

/** The event-loop lag that a server exports at GET /metrics; undefined if it exports none. */
export async function fetchLag(url: string, headers: Readonly<Record<string, string>>): Promise<Lag | undefined> {
  try {
    const response = await fetch(`${url}/metrics`, {
      headers: { ...headers, Accept: 'text/plain' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return response.ok ? toLag(text) : undefined;
  } catch {
    return undefined; // a server without metrics, or one too busy to give them: they are not shown
  }
}

/** The event-loop lag in the text format of Prometheus. */
export function toLag(text: string): Lag | undefined {
  const values = Object.entries(PATTERNS).flatMap(([key, names]) => {
    const found = new RegExp(`^(?:${names.join('|')})[ \\t]+(\\S+)`, 'm').exec(text);
    const seconds = Number(found?.[1]);
    return Number.isFinite(seconds) ? [[key, seconds * 1000]] : [];
  });
  return values.length === 0 ? undefined : (Object.fromEntries(values) as Lag);
}
