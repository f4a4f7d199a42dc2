import { need } from '../referee/probe.ts';
import { ENDING } from './explore.ts';
import { readEpisodes } from './prompt-rules.ts';
import { reproduce } from './reproduce.ts';
import type { Rule } from './rule.ts';
import { firstReading, type MadeCall, type Sample, type SampledOutcome } from './sample.ts';

const MAX_MESSAGE = 200;

/** What is wrong with what tools do. */
export const callRules: readonly Rule[] = [
  {
    id: 'env/crash',
    level: 'hardening',
    requirement: 'No input breaks a tool: it gives a result, or an error that the model can read',
    advice: 'check the input, and throw `ToolError` for what the model can fix',
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
    advice: 'bound the work: add limits to the schema, or `timeoutMs` to the tool',
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
    requirement: 'Rewards are within the range',
    advice: 'scale the reward, or set the range you mean',
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
    advice: 'return `finished: true`, at the latest after a maximum number of steps',
    isActive: true,
    problems: (sample) => missedBy(sample, ({ finished }) => finished, 'ended an episode'),
  },
  {
    id: 'env/never-pays',
    level: 'hardening',
    requirement: 'At least one call gives a reward, even if it is 0',
    advice: 'return `step(text, { reward })`; a forgotten `return` pays nothing',
    isActive: true,
    problems: (sample) => missedBy(sample, ({ reward }) => reward !== null, 'gave a reward, not even 0'),
  },
  {
    id: 'env/empty-output',
    level: 'hardening',
    requirement: 'A tool tells the agent something, unless it ends the episode',
    advice: 'return what the agent should see; look for a forgotten `return`',
    isActive: true,
    problems(sample) {
      const results = resultsOf(sample);
      const telling = new Set(
        results.flatMap(({ call, result }) => (result.isEmpty && !result.finished ? [] : [call.tool])),
      );
      // Once for each tool: one that is silent only now and then may have nothing to tell.
      const firsts = new Map(results.map(({ call }) => [call.tool, call] as const).toReversed());
      return [...firsts.values()]
        .filter(({ tool }) => !telling.has(tool))
        .map((call) => `'${call.tool}' returned nothing for the agent to see\n  ${reproduce(sample, call)}`);
    },
  },
  {
    id: 'env/paid-twice',
    level: 'hardening',
    requirement: 'The call that ended an episode is not paid again',
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

type Result = Extract<SampledOutcome, { kind: 'result' }>;

interface CallWithResult {
  readonly call: MadeCall;
  readonly result: Result;
}

function resultsOf(sample: Sample): CallWithResult[] {
  const results = made(sample).flatMap((call) =>
    call.outcome.kind === 'result' ? [{ call, result: call.outcome }] : [],
  );
  need(results.length > 0, 'no call gave a result');
  return results;
}

function rewarded(sample: Sample): { readonly call: MadeCall; readonly reward: number }[] {
  return made(sample).flatMap((call) => {
    const { outcome } = call;
    const reward = outcome.kind === 'result' ? outcome.reward : null;
    return reward === null ? [] : [{ call, reward }];
  });
}

/** What is wrong if no result of any call has something that at least one should have. */
function missedBy(sample: Sample, has: (result: Result) => boolean, what: string): string[] {
  const results = resultsOf(sample);
  if (results.some(({ result }) => has(result))) return [];
  need(sample.breakdown === undefined, 'the calls broke off early');
  // A tool that took none of the inputs may well do it for a better one.
  const unheard = endingTools(sample).find((name) => !results.some(({ call }) => call.tool === name));
  need(unheard === undefined, `'${unheard}' refused every input that was made from its schema`);
  return [`none of ${results.length} calls with a result ${what}`];
}

/** The names of tools that sound as if they ended the episode: those that would pay, too. */
function endingTools(sample: Sample): string[] {
  const tools = readEpisodes(sample).flatMap((episode) => firstReading(episode)?.tools ?? []);
  return [...new Set(tools.map(({ name }) => name))].filter((name) => ENDING.test(name));
}

/** One call for each tool and message: the same failure twice is one failure. */
function distinct(calls: readonly MadeCall[]): MadeCall[] {
  const keyOf = (call: MadeCall) => `${call.tool} ${messageOf(call)}`;
  return calls.filter((call, at) => calls.findIndex((other) => keyOf(other) === keyOf(call)) === at);
}

function messageOf({ outcome }: MadeCall): string {
  return outcome.kind === 'result' ? '' : outcome.message.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
}
