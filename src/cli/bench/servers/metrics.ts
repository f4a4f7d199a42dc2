import type { Lag } from './usage.ts';

const TIMEOUT_MS = 2_000;
const NAMES = { meanMs: 'mean_', p99Ms: 'p99_', maxMs: 'max_' } as const;

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

/** The event-loop lag in the text format of Prometheus, under the names that prom-client gives it. */
export function toLag(text: string): Lag | undefined {
  const values = Object.entries(NAMES).flatMap(([key, name]) => {
    const found = new RegExp(`^nodejs_eventloop_lag_${name}seconds(?:\\{[^}\\n]*\\})?[ \\t]+(\\S+)`, 'm').exec(text);
    const seconds = Number(found?.[1]);
    return Number.isFinite(seconds) ? [[key, seconds * 1000]] : [];
  });
  return values.length === 0 ? undefined : (Object.fromEntries(values) as Lag);
}
