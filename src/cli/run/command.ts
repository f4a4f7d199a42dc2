import { type Command, Option } from 'commander';
import { addSecretOption, collect, TIMES, toCount, toMilliseconds } from '../shared/arguments.ts';
import { toAmount, toConcurrency, toIndices, toRewardRule, toShare, toUnfinished } from './arguments.ts';
import { AGENT_CLIS, type RunOptions } from './options.ts';

/** Adds `tiltyard run`. */
export function addRun(root: Command): void {
  const command = root
    .command('run')
    .description('Run an agent on the tasks of an environment, and measure how good it is.')
    .usage('[options] <target> [-- <command...>]')
    .argument('<target>', 'URL of an ORS server, or a module that exports environments')
    .argument('[command...]', 'after --: a program that plays over MCP; with --agent-cli, more arguments for it')
    .option('--model <name>', 'play with a model: provider/name, or provider/name@base-url')
    .option('--policy <name>', 'play without a model: random, oracle, or a recorded game')
    .option('--agent <module>', 'play with an agent of your own, exported as agent')
    .addOption(new Option('--agent-cli <name>', 'play with a coding agent over MCP').choices(AGENT_CLIS))
    .option('-e, --environment <name>', "environment (default: the server's default)")
    .option('-s, --split <name>', "split (default: the environment's first)")
    .option('--n <number>', 'number of tasks (default: all)', toCount)
    .option('--from <index>', 'index of the first task (default: 0)', toCount)
    .option('--indices <list>', 'these tasks instead: 3,7,10-19', toIndices)
    .option('--k <number>', 'episodes per task (default: 1)', toCount)
    .option('--seed <number>', 'seed of policies and of the bootstrap (default: 0)', toCount)
    .option('--out <folder>', 'folder of the run (default: a new one in runs/)')
    .option('--resume', 'continue the run in --out: play what is missing')
    .option('--config <file>', 'options from a JSON file; those on the command line win')
    .option('--tag <name=value>', 'label the run; repeatable', collect)
    .option('--concurrency <number>', 'open episodes, or auto (default: 16)', toConcurrency)
    .option('--max-turns <number>', 'model requests per episode; without a model, calls (default: 50)', toCount)
    .option('--max-tokens <number>', 'tokens that the model may write per episode', toCount)
    .option('--timeout <time>', 'time per episode', toMilliseconds)
    .option('--retries <number>', 'further attempts after a failure of model or environment (default: 2)', toCount)
    .option('--budget-tokens <number>', 'tokens for the whole run', toCount)
    .option('--budget-usd <number>', 'US dollars for the whole run; needs --prices', toAmount)
    .option('--budget-time <time>', 'time until the run stops; starts anew with --resume', toMilliseconds)
    .option('--prices <file>', 'JSON: {"model": {"input": 3, "output": 15}} in dollars per million tokens')
    .option('--reward <rule>', 'reward of an episode: sum, last, max or mean of its steps (default: sum)', toRewardRule)
    .option('--unfinished <rule>', 'unfinished episodes without a reward: 0 or exclude (default: 0)', toUnfinished)
    .option('--pass <reward>', 'reward from which an episode has passed (default: 1)', toAmount)
    .option('--cluster <field>', 'task field; tasks with the same value count as one cluster')
    .option('--fail-under <reward>', 'exit code 1 if the mean is lower', toAmount)
    .option('--min-coverage <share>', 'exit code 1 if fewer episodes count, such as 0.95', toShare);
  addSecretOption(command)
    .option('--json', 'print the summary as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (target: string, program: string[], options: RunOptions) => {
      const { run } = await import('./run.ts');
      await run(target, program.length === 0 ? options : { ...options, program });
    });
}

const HELP = `
Keys of models are read from OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY
or OPENROUTER_API_KEY; with a base URL, from TILTYARD_MODEL_API_KEY. Ctrl-C
stops the run; --resume continues it.

A <time> is ${TIMES}.

A program after -- is started once for each episode, in an empty folder, and
acts in it over MCP. In its arguments, {url} {token} {prompt} {prompt_file}
{mcp_config} {tools} are filled in; they are variables as well (TILTYARD_URL and
so on). The prompt is its standard input if no argument has it. It learns
nothing of rewards and tasks. Needs the package @modelcontextprotocol/server.

Examples:
  tiltyard run environment.ts --policy random --n 20
  tiltyard run localhost:8080 --model anthropic/claude-sonnet-4-5 --split test
  tiltyard run environment.ts --model openai-chat/qwen3@http://localhost:8000/v1 --k 4
  tiltyard run environment.ts --agent-cli claude --n 5 --concurrency 2
  tiltyard run environment.ts --n 5 -- node my-agent.js {url} {prompt_file}
  tiltyard run environment.ts --agent ./agent.ts --out runs/mine --resume`;
