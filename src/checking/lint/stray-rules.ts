import { need } from '../referee/probe.ts';
import type { Incidents } from './code-at-hand.ts';
import { reproduce } from './reproduce.ts';
import type { Rule } from './rule.ts';
import type { Sample } from './sample.ts';

/** What is wrong with what code does beside its part of an episode. */
export const strayRules: readonly Rule[] = [
  {
    id: 'env/stray-error',
    level: 'interop',
    requirement: 'No error is left where nobody catches it',
    advice: 'await every promise, and catch errors in timers and listeners: elsewhere such an error ends the process',
    problems: (sample) => incidentsOf(sample).strayErrors,
  },
  {
    id: 'env/process-end',
    level: 'interop',
    requirement: 'No code ends its process',
    advice:
      'throw an error instead of calling `process.exit()`, and limit memory: all episodes in the process end with it',
    problems: (sample) => incidentsOf(sample).processEnds.flatMap((why) => toProblems(sample, why)),
  },
];

function incidentsOf({ incidents }: Sample): Incidents {
  need(incidents !== undefined, 'it runs on a server of its own');
  return incidents;
}

/** One for each tool that may have done it; setup, prompts and timers are not called by name. */
function toProblems(sample: Sample, why: string): string[] {
  const calls = sample.calls.filter(({ outcome }) => outcome.kind === 'crashed' && outcome.message.includes(why));
  if (calls.length === 0) return [`the process has ended: ${why}`];
  const firsts = new Map(calls.map((call) => [call.tool, call] as const).toReversed());
  return Array.from(
    firsts.values(),
    (call) => `'${call.tool}' ended its process: ${why}\n  ${reproduce(sample, call)}`,
  );
}
