import { accessSync, constants, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import { RecordError, readRecord } from '../../records/index.ts';
import {
  type Agent,
  agentCli,
  commandAgent,
  type RolloutOptions,
  type ScriptedCall,
  type Solve,
} from '../../rollouts/index.ts';
import { Failure, misuse } from '../shared/failure.ts';
import { loadExports } from '../shared/load-modules.ts';
import { toUrl } from '../shared/target.ts';
import type { RunOptions } from './options.ts';
import { programName } from './program-name.ts';

/** Who plays, and on what if that says so itself. */
export type ChosenPlayer = Pick<RolloutOptions, 'agent' | 'agentName' | 'split' | 'indices'>;

/** Finds who is to play. */
export async function choosePlayer(target: string, options: RunOptions): Promise<ChosenPlayer> {
  const { model, policy, agent, agentCli, program = [] } = options;
  if (agentCli !== undefined || program.length > 0) return chooseProgram(options);
  if (policy !== undefined && (model !== undefined || agent !== undefined))
    throw misuse('--policy plays without a model: leave out --model and --agent, or --policy');
  if (agent !== undefined) return { agent: await loadAgent(agent), agentName: agent };
  if (policy === 'random') return { agent: 'random' };
  if (policy === 'oracle') return { agent: { solve: await loadSolve(target) } };
  if (policy !== undefined) return loadGame(policy);
  if (model === undefined) {
    const why = options.resume === true ? `there is no run in ${options.out} to continue. To begin one, ` : '';
    throw misuse(`${why}name who plays: --model, --policy, --agent, --agent-cli or a program after --. See --help`);
  }
  return { agent: 'model' };
}

/** A program that plays over MCP. */
function chooseProgram({ model, policy, agent, agentCli: name, program = [], secret = [] }: RunOptions): ChosenPlayer {
  if ([model, policy, agent].some((each) => each !== undefined))
    throw misuse('a program plays by itself: leave out --model, --policy and --agent');
  const [command = '', ...args] = program;
  const chosen = name === undefined ? { command, args } : agentCli(name, program);
  assertProgram(chosen.command);
  const agentName = programName({ ...(name === undefined ? {} : { agentCli: name }), program });
  return { agent: commandAgent({ ...chosen, hidden: secret }), agentName };
}

/** Refuses a program that is not there before anything is played. */
function assertProgram(command: string): void {
  const places = command.includes('/')
    ? [command]
    : (process.env.PATH ?? '').split(delimiter).map((each) => join(each, command));
  if (places.some(isExecutable)) return;
  throw misuse(`there is no program '${command}'. Install it, or give its path`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function loadAgent(path: string): Promise<Agent> {
  const module = await loadExports(path);
  const agent = module.agent ?? module.default;
  if (typeof agent === 'function') return agent as Agent;
  throw new Failure(`${path} exports no agent. Export one: export const agent: Agent = async (episode) => { ... }`);
}

async function loadSolve(target: string): Promise<Solve> {
  const advice = 'Export solve(task) from the module, which returns calls: [{ tool, input }]; or play a recorded game';
  if (toUrl(target) !== undefined) throw misuse(`--policy oracle needs a module, not a URL. ${advice}`);
  const { solve } = await loadExports(target);
  if (typeof solve === 'function') return solve as Solve;
  throw new Failure(`${target} exports no function solve. ${advice}`);
}

/** A game that was recorded: a record, or a game of `tiltyard play --record`. It is played on its own task unless others are named. */
async function loadGame(file: string): Promise<ChosenPlayer> {
  if (!existsSync(file))
    throw misuse(`there is no policy '${file}', nor a file of that name. Choose random, oracle or a recorded game`);
  const game = file.endsWith('.jsonl') ? await readRecorded(file) : toGame(await readFile(file, 'utf8'), file);
  const { calls, split, index } = game;
  return {
    agent: { calls },
    agentName: file,
    ...(split === undefined ? {} : { split }),
    ...(index === undefined ? {} : { indices: [index] }),
  };
}

interface Game {
  readonly split?: string | undefined;
  readonly index?: number | undefined;
  readonly calls: readonly ScriptedCall[];
}

async function readRecorded(file: string): Promise<Game> {
  const calls: ScriptedCall[] = [];
  let place: Pick<Game, 'split' | 'index'> = {};
  try {
    for await (const event of readRecord(file)) {
      if (event.type === 'episode') place = { split: event.split, index: event.index };
      if (event.type === 'call') calls.push({ tool: event.tool, input: event.input as JsonObject });
    }
  } catch (thrown) {
    throw thrown instanceof RecordError ? misuse(thrown.message) : thrown;
  }
  return { ...place, calls };
}

function toGame(text: string, file: string): Game {
  let game: unknown;
  try {
    game = JSON.parse(text);
  } catch (thrown) {
    throw misuse(`${file} is not a game: ${(thrown as Error).message}`);
  }
  const { split, index, calls } = isObject(game) ? game : {};
  if (!Array.isArray(calls) || !calls.every((call) => isObject(call) && typeof call.tool === 'string'))
    throw misuse(`${file} is not a game: it must be {"split", "index", "calls": [{"tool", "input"}]}`);
  return {
    split: typeof split === 'string' ? split : undefined,
    index: typeof index === 'number' ? index : undefined,
    calls: calls.map(({ tool, input }) => ({ tool, input: isObject(input) ? (input as JsonObject) : {} })),
  };
}
