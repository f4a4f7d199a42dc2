import { need } from '../referee/probe.ts';
import { ENDING } from './explore.ts';
import { readEpisodes } from './prompt-rules.ts';
import { reproduce } from './reproduce.ts';
import type { Rule } from './rule.ts';
import { firstReading, type MadeCall, type Sample } from './sample.ts';

const MAX_MESSAGE = 200;

/** What is wrong with what tools do. */
export const callRules: readonly Rule[] = [
  {
    id: 'env/crash',
    level: 'hardening',
    requirement: 'No input breaks a tool: it gives a result, or an error that the model can read',
    advice: 'check the input, and throw `ToolError` for what the model can mend',
    isActive: true,
    problems: (sample) =>
      distinct(made(sample).filter(({ outcome }) => outcome.kind === 'crashed')).map(
        (call) => `'${call.tool}' broke: ${messageOf(call)}\n  ${reproduce(sample, call)}`,
      ),
  },
  {
    id: 'env/no-answer',
    level: 'hardening',
    requirement: 'Every call ends in time',
    advice: 'bound the work: limits in the schema, `timeoutMs` of the tool',
    isActive: true,
    problems: (sample) => [
      ...(sample.breakdown === undefined ? [] : [`no episode begins any more: ${sample.breakdown}`]),
      ...distinct(made(sample).filter(({ outcome }) => outcome.kind === 'silent')).map(
        (call) => `'${call.tool}' did not answer in time\n  ${reproduce(sample, call)}`,
      ),
    ],
  },
  {
    id: 'env/reward-number',
    level: 'specified',
    requirement: 'A reward is a finite number, or none',
    advice: 'look for a division by zero',
    isActive: true,
    problems: (sample) =>
      distinct(made(sample).filter(({ outcome }) => outcome.kind === 'mispaid')).map(
        (call) => `'${call.tool}' paid no number: ${messageOf(call)}\n  ${reproduce(sample, call)}`,
      ),
  },
  {
    id: 'env/reward-range',
    level: 'hardening',
    requirement: 'Rewards are in their range',
    advice: 'scale it, or give the range that you mean',
    isActive: true,
    problems(sample) {
      const [min, max] = sample.rewardRange;
      return rewarded(sample)
        .filter(({ reward }) => reward < min || reward > max)
        .map(
          ({ call, reward }) =>
            `'${call.tool}' paid ${reward}, outside of ${min} to ${max}\n  ${reproduce(sample, call)}`,
        );
    },
  },
  {
    id: 'env/never-ends',
    level: 'hardening',
    requirement: 'An episode can end',
    advice: 'return `finished: true`, at the latest after so many steps',
    isActive: true,
    problems(sample) {
      const calls = made(sample);
      need(calls.length > 0, 'no tool could be called');
      const hasEnded = calls.some(({ outcome }) => outcome.kind === 'result' && outcome.finished);
      const tools = readEpisodes(sample).flatMap((episode) => firstReading(episode)?.tools ?? []);
      const isHopeful = tools.some(({ name }) => ENDING.test(name));
      return hasEnded || isHopeful
        ? []
        : [`none of ${calls.length} calls ended an episode, and no tool is named as if it did`];
    },
  },
  {
    id: 'env/paid-twice',
    level: 'hardening',
    requirement: 'What has ended an episode does not pay again',
    advice: 'refuse calls after the end, as this server does by default',
    isActive: true,
    problems(sample) {
      const repeats = made(sample).filter(({ purpose }) => purpose === 'repeat');
      need(repeats.length > 0, 'no call was found that pays and ends an episode');
      return repeats
        .filter(({ outcome }) => outcome.kind === 'result' && Number(outcome.reward) > 0)
        .map((call) => `'${call.tool}' paid again after the end for ${JSON.stringify(call.input).slice(0, 200)}`);
    },
  },
];

function made({ calls, breakdown }: Sample): readonly MadeCall[] {
  need(calls.length > 0 || breakdown !== undefined, 'no tool could be called');
  return calls;
}

function rewarded(sample: Sample): { readonly call: MadeCall; readonly reward: number }[] {
  return made(sample).flatMap((call) => {
    const { outcome } = call;
    const reward = outcome.kind === 'result' ? outcome.reward : null;
    return reward === null ? [] : [{ call, reward }];
  });
}

/** One call for each tool and message: the same failure twice is one failure. */
function distinct(calls: readonly MadeCall[]): MadeCall[] {
  const keyOf = (call: MadeCall) => `${call.tool} ${messageOf(call)}`;
  return calls.filter((call, at) => calls.findIndex((other) => keyOf(other) === keyOf(call)) === at);
}

function messageOf({ outcome }: MadeCall): string {
  return outcome.kind === 'result' ? '' : outcome.message.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
}
