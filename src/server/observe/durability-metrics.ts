import type { Numbers } from './numbers.ts';
import { type Published, publishCounter, publishHistogram } from './publish.ts';

/** Which episodes were lost, and how long it took to build others again. */
export function durabilityMetrics({ environments }: Pick<Numbers, 'environments'>): Published {
  return {
    publish(registry) {
      publishCounter(registry, {
        name: 'tiltyard_sessions_lost_total',
        help: 'Sessions that were lost with the process that ran them, by reason.',
        labelNames: ['environment', 'reason'],
        *read() {
          for (const [environment, { lost }] of environments)
            for (const [reason, count] of lost) yield [{ environment, reason }, count];
        },
      });
      publishHistogram(registry, {
        name: 'tiltyard_rebuild_duration_seconds',
        help: 'How long it took to build an episode again whose process had ended.',
        read: () => Array.from(environments, ([environment, { rebuilds }]) => [{ environment }, rebuilds]),
      });
    },
  };
}
