import { writeFile } from 'node:fs/promises';
import { type CheckReport, checkServer, judge, type Level, toBaseline, type Verdict } from '../../testing/index.ts';
import { Failure } from '../shared/failure.ts';
import { onInterrupt } from '../shared/interruption.ts';
import { type Progress, progressBar } from '../shared/progress.ts';
import { openTarget, type Target } from '../shared/target.ts';
import { processTerminal } from '../shared/terminal.ts';
import { readBaseline } from './baseline-file.ts';
import { toJsonReport } from './json-report.ts';
import { toJunit } from './junit.ts';
import { reportLines } from './text-report.ts';

/** The options of `tiltyard check`. */
export interface CheckCommandOptions {
  readonly active?: boolean;
  readonly only?: readonly string[];
  readonly level: Level;
  readonly strict?: boolean;
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly junit?: string;
  readonly timeout: number;
  readonly setupTimeout: number;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** Checks a server and prints what was found; fails if anything did that counts. */
export async function check(text: string, options: CheckCommandOptions): Promise<void> {
  const terminal = processTerminal();
  // Before the check: a mistake in the file should not cost the time of one.
  const baseline = options.baseline === undefined ? [] : await readBaseline(options.baseline);
  const report = await probe(text, options);
  const verdict = judge(report, { level: options.strict ? 'hardening' : options.level, baseline });
  await writeFiles(verdict, options);
  if (options.json) terminal.printJson(toJsonReport(report, verdict));
  else
    for (const line of reportLines(report, verdict, { ...terminal, isVerbose: options.verbose ?? false }))
      terminal.print(line);
  if (!verdict.passed) throw new Failure(summaryOf(verdict));
}

async function probe(text: string, options: CheckCommandOptions): Promise<CheckReport> {
  using interruption = onInterrupt();
  await using target = await openTarget(text);
  using bar = lazyBar();
  return await checkServer({
    url: target.url,
    headers: headersFor(target),
    isActive: options.active ?? false,
    only: options.only ?? [],
    timeoutMs: options.timeout,
    setupMs: options.setupTimeout,
    signal: interruption.signal,
    onFinding: ({ id }, { protocol, done, total }) => bar.advance(done, total, `${protocol}/${id}`),
  });
}

// The key goes out under both names: which protocol the server speaks is not known yet.
function headersFor({ apiKey = '' }: Target): Record<string, string> {
  return apiKey === '' ? {} : { 'x-api-key': apiKey, 'oxp-api-key': apiKey };
}

// How many steps there are is known with the first of them.
function lazyBar(): Disposable & { advance(done: number, total: number, doing: string): void } {
  let bar: Progress | undefined;
  return {
    advance(done, total, doing) {
      bar ??= progressBar('checking', total);
      bar.advance(done, doing);
    },
    [Symbol.dispose]: () => bar?.stop(),
  };
}

async function writeFiles(verdict: Verdict, { writeBaseline, junit }: CheckCommandOptions): Promise<void> {
  if (writeBaseline !== undefined) await writeFile(writeBaseline, `${JSON.stringify(toBaseline(verdict), null, 2)}\n`);
  if (junit !== undefined) await writeFile(junit, toJunit(verdict));
}

function summaryOf({ judgements }: Verdict): string {
  const failed = judgements.filter(({ outcome }) => outcome === 'fail').map(({ protocol, id }) => `${protocol}/${id}`);
  return `${failed.length} requirement${failed.length === 1 ? ' is' : 's are'} not met: ${failed.join(', ')}`;
}
