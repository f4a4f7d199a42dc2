import { EPISODE_OUTCOMES } from '../../core/index.ts';
import type { Numbers } from './numbers.ts';
import { type Published, publishCounter, publishGauge, publishHistogram } from './publish.ts';

/** How many sessions there are, how they ended, and what they paid. */
export function sessionMetrics({ environments }: Pick<Numbers, 'environments'>): Published {
  return {
    publish(registry) {
      publishGauge(registry, {
        name: 'tiltyard_sessions_live',
        help: 'Live sessions, including those in teardown.',
        labelNames: ['environment'],
        read: () => Array.from(environments, ([environment, { live }]) => [{ environment }, live]),
      });
      publishCounter(registry, {
        name: 'tiltyard_sessions_ended_total',
        help: 'Sessions that have ended, by the outcome of their episode.',
        labelNames: ['environment', 'outcome'],
        *read() {
          for (const [environment, { ended }] of environments)
            for (const outcome of EPISODE_OUTCOMES) yield [{ environment, outcome }, ended[outcome]];
        },
      });
      publishCounter(registry, {
        name: 'tiltyard_task_ids_reused_total',
        help: 'Calls whose task_id was used before for another tool or input; they did not run.',
        labelNames: ['environment'],
        read: () => Array.from(environments, ([environment, { reusedIds }]) => [{ environment }, reusedIds]),
      });
      publishHistogram(registry, {
        name: 'tiltyard_setup_duration_seconds',
        help: 'How long setups took, failed and cancelled ones included.',
        read: () => Array.from(environments, ([environment, { setups }]) => [{ environment }, setups]),
      });
      publishHistogram(registry, {
        name: 'tiltyard_episode_reward',
        help: 'Total reward of each episode, of those in which a step had a reward.',
        read: () => Array.from(environments, ([environment, { rewards }]) => [{ environment }, rewards]),
      });
    },
  };
}
