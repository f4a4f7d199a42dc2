import { type CheckReport, lintEnvironment, type SampleSize } from '../../checking/index.ts';
import { findEnvironment } from '../shared/episode.ts';
import { withoutForeignFrames } from '../shared/location.ts';
import type { OpenServer } from '../shared/with-server.ts';
import { lazyBar } from './lazy-bar.ts';
import type { CheckRun } from './options.ts';

/** What came of a lint, and of how many tasks. */
export interface LintReport extends CheckReport {
  readonly sampled: readonly SampleSize[];
}

/** Looks for what would spoil training in one environment of a server or in all of them, showing how far that is. */
export async function runLint(server: OpenServer, options: CheckRun): Promise<LintReport> {
  const { name, url, apiKey, signal, module } = server;
  const { environment, secrets, samples, seed, active: isActive, timeout: timeoutMs, rewardRange } = options;
  const wanted = typeof environment === 'string' ? environment : undefined;
  // Also where all are meant: a server without any has nothing to check.
  const found = await findEnvironment(server, wanted);
  const sampled: SampleSize[] = [];
  using bar = lazyBar();
  const findings = await lintEnvironment({
    url,
    ...module?.code,
    apiKey,
    name,
    environment: wanted === undefined ? undefined : found.name,
    secrets,
    signal,
    samples,
    seed,
    isActive,
    timeoutMs,
    rewardRange,
    toMessage: withoutForeignFrames,
    onProgress: ({ done, total, doing }) => bar.advance(done, total, doing),
    onSampled: (size) => sampled.push(size),
  });
  return { url, protocols: [{ name: 'env', findings }], sampled };
}
