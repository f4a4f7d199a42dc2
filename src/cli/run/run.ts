import { HttpError } from '../../client/index.ts';
import { leanFetch } from '../../http-client/index.ts';
import type { Price, RolloutOptions, RunEnding, RunResult } from '../../rollouts/index.ts';
import {
  RunFolderError,
  RunInUse,
  RunOptionError,
  readReportData,
  rollouts,
  writeWhole,
} from '../../rollouts/index.ts';
import { besideAuthorsCode } from '../shared/authors-code.ts';
import { findEnvironment } from '../shared/episode.ts';
import { EXIT_CODES, Failure, misuse } from '../shared/failure.ts';
import { formatCount } from '../shared/report/format.ts';
import { toRunReport } from '../shared/runs/report.ts';
import { toSummaryLines } from '../shared/runs/summary-text.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { adviceOnSecrets, readSecrets } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { withServer } from '../shared/with-server.ts';
import { readJson, resolveOptions } from './config.ts';
import { fewerTasksNote } from './fewer-tasks.ts';
import { showProgress } from './live.ts';
import type { RunOptions } from './options.ts';
import { type ChosenPlayer, choosePlayer } from './player.ts';

/** Plays a run, shows how it goes, and says what came of it. */
export async function run(target: string, given: RunOptions): Promise<void> {
  const terminal = processTerminal();
  const options = resolveOptions(given);
  if (options.resume === true && options.out === undefined)
    throw misuse('--resume continues the run in a folder: name it with --out');
  using _ = isPlayedHere(options) ? besideAuthorsCode() : undefined;
  const player = await choosePlayer(target, options);
  const isWatched = options.agentCli !== undefined || (options.program ?? []).length > 0;
  const result = await withServer(
    target,
    async (server) => {
      const { url, apiKey, watch, signal } = server;
      // Not the platform's, which takes longer for a request than most servers.
      using lean = leanFetch();
      const wanted = {
        ...toRolloutOptions(options, player),
        target: url,
        targetName: target,
        connect: { apiKey, fetch: watch(lean.fetch) },
        signal,
      };
      using display = showProgress();
      try {
        return await rollouts({
          ...wanted,
          onStart(progress) {
            const fewer = fewerTasksNote(progress.state.run);
            if (fewer !== undefined) terminal.note(toSafeText(fewer));
            display.start(progress);
          },
        });
      } catch (thrown) {
        // A server of toolkits alone only says that it has no such route.
        if (thrown instanceof HttpError && thrown.status === 404) await findEnvironment(server, undefined);
        throw toFailure(thrown);
      }
    },
    { isGuarded: isWatched, retype: (url) => `tiltyard run ${url}` },
  );
  const data = await readReportData(result.folder);
  writeWhole(result.folder, 'report.html', toRunReport(data, new Date()));
  if (options.json === true) terminal.printJson({ folder: result.folder, ...result.summary, ending: result.ending });
  else for (const line of toSummaryLines(data, terminal)) terminal.print(line);
  terminal.note(`Written to ${result.folder}; report.html has charts.`);
  if (result.summary.tokens.estimated === true)
    terminal.note(
      "The model's server does not report its tokens. They are estimated, four characters each, also for --budget-tokens and --max-tokens.",
    );
  const { status, detail } = result.ending;
  if (status === 'budget') terminal.note(`Stopped early: ${detail}. ${toContinue(target, result)}`);
  judge(result, options, target);
}

/** Whether code of an author plays, in this process. */
function isPlayedHere({ agent, policy }: RunOptions): boolean {
  return agent !== undefined || policy === 'oracle';
}

function toRolloutOptions(options: RunOptions, player: ChosenPlayer): Omit<RolloutOptions, 'target'> {
  const {
    policy: _policy,
    agent: _agent,
    agentCli: _cli,
    program: _program,
    tag = [],
    timeout,
    budgetTime,
    prices,
    secret,
    out,
    config: _config,
    json: _json,
    failUnder: _fail,
    minCoverage: _least,
    ...plain
  } = options;
  const isPlaced = plain.indices !== undefined || plain.n !== undefined || plain.from !== undefined;
  const { indices, split, ...chosen } = player;
  return {
    ...(isPlaced || indices === undefined ? {} : { indices }),
    ...(split === undefined ? {} : { split }),
    ...plain,
    ...chosen,
    out: out ?? `runs/${toStamp(new Date())}`,
    timeoutMs: timeout,
    budgetMs: budgetTime,
    tags: toTags(tag),
    secrets: readSecrets(secret),
    ...(prices === undefined ? {} : { prices: readJson(prices) as unknown as Record<string, Price> }),
  };
}

/** A name for a folder that sorts by time: 20260131-120000-123. */
function toStamp(now: Date): string {
  return now.toISOString().replace(/[-:Z]/g, '').replace(/[T.]/g, '-');
}

function toTags(tags: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    tags.map((tag) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(tag) ?? [];
      if (name === undefined || value === undefined) throw misuse(`--tag is name=value, not '${tag}'`);
      return [name, value];
    }),
  );
}

// What the runner refuses before it plays is a mistake in what was asked for.
function toFailure(thrown: unknown): unknown {
  const isRefused = thrown instanceof RunOptionError || thrown instanceof RunFolderError || thrown instanceof RunInUse;
  return isRefused ? misuse(thrown.message) : thrown;
}

// The run keeps its budget, so that one that is spent needs more; time is for each session.
const MORE: Readonly<Record<NonNullable<RunEnding['budget']>, string>> = {
  tokens: ' --budget-tokens <more>',
  usd: ' --budget-usd <more>',
  time: '',
};

function toContinue(target: string, { folder, ending: { budget } }: RunResult): string {
  const more = budget === undefined ? '' : MORE[budget];
  return `Continue with: tiltyard run ${target} --out ${folder} --resume${more}`;
}

/** The exit code: whether the run could be played, and whether it is as good as was asked for. */
function judge(result: RunResult, { failUnder, minCoverage }: RunOptions, target: string): void {
  const { summary, ending } = result;
  const { reward, coverage, episodes } = summary;
  const again = toContinue(target, result);
  if (ending.status === 'interrupted')
    throw new Failure(
      `interrupted, with ${formatCount(episodes.owed, 'episode')} left. ${again}`,
      EXIT_CODES.interrupted,
    );
  if (ending.status === 'refused')
    throw new Failure(`${adviceOnSecrets(ending.detail ?? '') ?? ending.detail}\nThe run was stopped. ${again}`);
  if (reward === null) throw new Failure('no episode counts: episodes.jsonl and the records in events/ say why');
  if (minCoverage !== undefined && coverage < minCoverage)
    throw new Failure(`coverage ${coverage.toFixed(4)} is below ${minCoverage}. ${again}`);
  if (failUnder !== undefined && reward.mean < failUnder)
    throw new Failure(`the mean reward ${reward.mean.toFixed(4)} is below ${failUnder}`);
}
