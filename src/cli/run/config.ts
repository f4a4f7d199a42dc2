import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { nearestOf } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';
import { type RunFile, readRunFile } from '../../rollouts/index.ts';
import { toCount, toMilliseconds } from '../shared/arguments.ts';
import { misuse } from '../shared/failure.ts';
import { whyUnreadable } from '../shared/unreadable.ts';
import { toAmount, toConcurrency, toIndices, toRewardRule, toShare, toUnfinished } from './arguments.ts';
import type { RunOptions } from './options.ts';
import { readProgramName } from './program-name.ts';

/** Options of the command line, those of the --config file where there are none, and then those that a resumed run was begun with. */
export function resolveOptions(given: RunOptions): RunOptions {
  const { config, resume, out } = given;
  const fromFile = config === undefined ? {} : readConfig(config);
  const isBegun = resume === true && out !== undefined && existsSync(join(out, 'run.json'));
  const before = isBegun ? toOptions(readRunFile(out)) : {};
  const chosen = { ...fromFile, ...given };
  // Naming another player is not an addition to the one of before, and is then refused as a different run.
  const { model, policy, agent, agentCli, program } = chosen;
  const isNamed = [model, policy, agent, agentCli, program].some((each) => each !== undefined);
  const { model: _model, policy: _policy, agent: _agent, agentCli: _cli, program: _program, ...others } = before;
  return { ...(isNamed ? others : before), ...chosen };
}

type Reader = (value: unknown) => unknown;

const text: Reader = (value) => {
  if (typeof value !== 'string') throw new InvalidArgumentError('Must be a text.');
  return value;
};
const object: Reader = (value) => {
  if (!isObject(value)) throw new InvalidArgumentError('Must be an object.');
  return value;
};
/** What the command line has as text, a file may have as a number. */
const as =
  (read: (value: string) => unknown): Reader =>
  (value) =>
    read(typeof value === 'number' ? String(value) : (text(value) as string));

const FIELDS: Readonly<Record<string, Reader>> = {
  model: text,
  policy: text,
  agent: text,
  environment: text,
  split: text,
  n: as(toCount),
  from: as(toCount),
  indices: (value) => (Array.isArray(value) ? toIndices(value.join(',')) : as(toIndices)(value)),
  k: as(toCount),
  seed: as(toCount),
  out: text,
  tag: (value) => Object.entries(object(value) as object).map(([name, each]) => `${name}=${each}`),
  concurrency: as(toConcurrency),
  maxTurns: as(toCount),
  maxTokens: as(toCount),
  timeout: as(toMilliseconds),
  retries: as(toCount),
  budgetTokens: as(toCount),
  budgetUsd: as(toAmount),
  budgetTime: as(toMilliseconds),
  prices: text,
  reward: as(toRewardRule),
  unfinished: as(toUnfinished),
  pass: as(toAmount),
  cluster: text,
  failUnder: as(toAmount),
  minCoverage: as(toShare),
  secret: (value) => (Array.isArray(value) ? value.map(text) : [text(value)]),
  parameters: object,
  system: text,
};

function readConfig(file: string): RunOptions {
  const fields = readJson(file);
  const entries = Object.entries(fields).map(([name, value]) => {
    const reader = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (reader === undefined) throw misuse(`${file}: unknown option '${name}'${suggest(name)}`);
    try {
      return [name, reader(value)];
    } catch (thrown) {
      if (!(thrown instanceof InvalidArgumentError)) throw thrown;
      throw misuse(`${file}: ${name} cannot be ${JSON.stringify(value)}. ${thrown.message}`);
    }
  });
  return Object.fromEntries(entries) as RunOptions;
}

/** A JSON file with an object in it. */
export function readJson(file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    const why = thrown instanceof SyntaxError ? `is not JSON: ${thrown.message}` : whyUnreadable(thrown);
    throw misuse(`${file} ${why}. Name a file with a JSON object in it`);
  }
  if (!isObject(value)) throw misuse(`${file} must hold a JSON object`);
  return value;
}

function suggest(name: string): string {
  const nearest = nearestOf(Object.keys(FIELDS), name);
  return nearest === undefined ? '' : `. Did you mean ${nearest}?`;
}

/** The options that a run was begun with, as far as they make it what it is. */
function toOptions({ identity, selection, pass }: RunFile): RunOptions {
  const { environment, split, agent, model, parameters, system, seed, limits, scoring, cluster } = identity;
  const { indices, from, n, k } = selection;
  const player =
    agent === 'model'
      ? {}
      : ['random', 'oracle'].includes(agent) || agent.endsWith('.json')
        ? { policy: agent }
        : (readProgramName(agent) ?? { agent });
  return {
    ...{ environment, split, parameters, seed, pass, k, ...player },
    ...{ maxTurns: limits.maxTurns, reward: scoring.reward, unfinished: scoring.unfinished },
    ...(model === null ? {} : { model }),
    ...(system === null ? {} : { system }),
    ...(cluster === null ? {} : { cluster }),
    ...(limits.maxTokens === undefined ? {} : { maxTokens: limits.maxTokens }),
    ...(limits.timeoutMs === undefined ? {} : { timeout: limits.timeoutMs }),
    ...(indices === null ? { from, ...(n === null ? {} : { n }) } : { indices }),
  };
}
