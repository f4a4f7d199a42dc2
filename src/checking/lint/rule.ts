import { insist, type Level, need, type Probe } from '../referee/probe.ts';
import type { Sample } from './sample.ts';

/** One thing that a good environment has, judged by a sample of it. */
export interface Rule {
  /** `env/` and what is wrong: the documentation explains each. */
  readonly id: string;
  /** Where how much is wrong decides it, a function of what was seen. */
  readonly level: Level | ((sample: Sample) => Level);
  readonly requirement: string;
  /** What its author can do about it. */
  readonly advice: string;
  /** Better advice, where what was seen allows it. */
  adviceOn?(sample: Sample): string | undefined;
  /** Whether it is judged by calls, which may have effects. */
  readonly isActive?: boolean;
  /** What is wrong, each with its place; throws NotApplicable if nothing in the sample can tell. */
  problems(sample: Sample): readonly string[];
}

/** The rule that says why nothing could be judged. */
export const START = 'env/start';

// Who has seen three examples of a mistake knows it.
const MAX_TOLD = 3;

/** A rule in the form that the referee runs and reports, for one environment. */
export function toProbe(rule: Rule, sample: Sample): Probe<Sample> {
  const { id, level, requirement, advice, isActive = false } = rule;
  return {
    id,
    group: `Environment '${sample.environment}'`,
    level: typeof level === 'function' ? level(sample) : level,
    requirement,
    advice: rule.adviceOn?.(sample) ?? advice,
    source: 'docs/checking.md',
    isActive,
    async run() {
      need(sample.failure === undefined || id === START, 'nothing could be seen of the environment');
      const problems = rule.problems(sample);
      const more = problems.length > MAX_TOLD ? [`and ${problems.length - MAX_TOLD} more`] : [];
      insist(problems.length === 0, [...problems.slice(0, MAX_TOLD), ...more].join('\n'));
    },
  };
}
