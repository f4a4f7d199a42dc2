import { Counter, type Registry } from 'prom-client';
import { publishHistogram } from './histogram.ts';
import type { EnvironmentNumbers } from './numbers.ts';

/** Shows which episodes were lost, and how long it took to build others again. */
export function publishDurability(
  registry: Registry,
  environments: ReadonlyMap<string, Pick<EnvironmentNumbers, 'lost' | 'rebuilds'>>,
): void {
  new Counter({
    name: 'tiltyard_sessions_lost_total',
    help: 'Sessions that were lost with the process that ran them, by reason.',
    labelNames: ['environment', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [environment, { lost }] of environments)
        for (const [reason, count] of lost) this.inc({ environment, reason }, count);
    },
  });
  publishHistogram(registry, {
    name: 'tiltyard_rebuild_duration_seconds',
    help: 'How long it took to build an episode again whose process had ended.',
    read: () => Array.from(environments, ([environment, { rebuilds }]) => [{ environment }, rebuilds] as const),
  });
}
