import type { Durability } from '../../core/index.ts';
import { need } from '../referee/probe.ts';
import type { Rule } from './rule.ts';
import type { Sample } from './sample.ts';

/** What is wrong with what an environment promises of episodes whose process ends. */
export const durabilityRules: readonly Rule[] = [
  {
    id: 'env/replay',
    level: 'hardening',
    requirement: "An environment that declares `durability: 'replay'` gives the same again",
    advice:
      'take chance from `random`, no time from the clock, and keep what changes in `state`; or declare another `durability`',
    isActive: true,
    problems: (sample) => problemsOf(sample, 'replay'),
  },
  {
    id: 'env/snapshot',
    level: 'hardening',
    requirement: "An environment that declares `durability: 'snapshot'` goes on from what it saved",
    advice: 'return from `save` all that tools need, as plain JSON, and make the same state of it in `restore`',
    isActive: true,
    problems: (sample) => problemsOf(sample, 'snapshot'),
  },
];

function problemsOf({ again }: Sample, durability: Durability): readonly string[] {
  need(again?.durability === durability, `it does not declare '${durability}', or runs on a server of its own`);
  return again.problems;
}
