import { type CheckReport, judge, keyOf, toBaseline, type Verdict } from '../../checking/index.ts';
import { Failure } from '../shared/failure.ts';
import { assertWritable, writeOut } from '../shared/out-file.ts';
import { readSecrets } from '../shared/secrets.ts';
import { toUrl } from '../shared/target.ts';
import { processTerminal } from '../shared/terminal.ts';
import { withServer } from '../shared/with-server.ts';
import { assertOptions } from './arguments.ts';
import { readBaseline } from './baseline-file.ts';
import { toJsonReport } from './json-report.ts';
import { toJunit } from './junit.ts';
import type { CheckCommandOptions } from './options.ts';
import { type LintReport, runLint } from './run-lint.ts';
import { runReferee } from './run-referee.ts';
import { reportLines } from './text-report.ts';

/** Checks a server, or the environments on it, and prints what was found; fails if anything did that counts. */
export async function check(text: string, options: CheckCommandOptions): Promise<void> {
  assertOptions(options);
  assertWritable('--junit', options.junit);
  assertWritable('--write-baseline', options.writeBaseline);
  const terminal = processTerminal();
  const secrets = readSecrets(options.secret);
  // Before the check: a mistake in the file should not cost the time of one.
  const baseline = options.baseline === undefined ? [] : await readBaseline(options.baseline);
  const report: CheckReport & Partial<LintReport> = await withServer(text, (server) =>
    options.environment === undefined
      ? runReferee(server, { ...options, secrets })
      : runLint(server, { ...options, secrets }),
  );
  const verdict = judge(report, { level: options.strict ? 'hardening' : options.level, baseline });
  if (options.json) terminal.printJson(toJsonReport(report, verdict));
  else {
    const { verbose: isVerbose = false, only } = options;
    const shown = {
      colors: terminal.colors,
      name: toUrl(text) ?? text,
      isVerbose,
      isPart: only !== undefined,
      sampled: report.sampled,
    };
    for (const line of reportLines(report, verdict, shown)) terminal.print(line);
  }
  await writeFiles(verdict, options);
  if (!verdict.passed) throw new Failure(summaryOf(verdict));
}

async function writeFiles(verdict: Verdict, { writeBaseline, junit }: CheckCommandOptions): Promise<void> {
  if (writeBaseline !== undefined)
    await writeOut('--write-baseline', writeBaseline, `${JSON.stringify(toBaseline(verdict), null, 2)}\n`);
  if (junit !== undefined) await writeOut('--junit', junit, toJunit(verdict));
}

function summaryOf({ judgements }: Verdict): string {
  const failed = judgements.filter(({ outcome }) => outcome === 'fail').map(({ protocol, id }) => keyOf(protocol, id));
  const names = [...new Set(failed)].join(', ');
  return `${failed.length} requirement${failed.length === 1 ? ' is' : 's are'} not met: ${names}`;
}
