import { EXIT_CODES, Failure } from '../shared/failure.ts';
import { onInterrupt } from '../shared/interruption.ts';
import { assertWritable, writeOut } from '../shared/out-file.ts';
import { progressBar } from '../shared/progress.ts';
import { processTerminal, type Terminal } from '../shared/terminal.ts';
import { assertDescriptors } from './descriptors.ts';
import { type BenchOptions, toChoice, toPlan } from './plan.ts';
import type { Charset } from './report/bars.ts';
import { toHtml } from './report/html.ts';
import { toJson } from './report/json.ts';
import { toLines } from './report/text.ts';
import type { BenchResult } from './result/result.ts';
import { judge } from './result/verdict.ts';
import { type Entrant, runPlan } from './run.ts';
import { openServer } from './servers/open.ts';
import { discover } from './work/discover.ts';

/** Puts a server, or two in turns, under load and tells what came of it. */
export async function bench(target: string, options: BenchOptions): Promise<void> {
  const plan = toPlan(options);
  assertWritable('--html', options.html);
  assertDescriptors(plan.connections);
  const terminal = processTerminal();
  using interruption = onInterrupt();
  const { signal } = interruption;
  await using first = await openServer(target, signal);
  await using second = options.compare === undefined ? undefined : await openServer(options.compare, signal);
  const entrants: Entrant[] = [];
  for (const server of [first, ...(second === undefined ? [] : [second])]) {
    signal.throwIfAborted();
    const work = await discover(server, toChoice(options, plan, signal));
    for (const note of work.notes) terminal.note(note);
    entrants.push({ server, work });
  }
  using bar = progressBar('bench', plan.totalMs);
  const result = await runPlan(plan, entrants, { signal, onProgress: (doneMs, doing) => bar.advance(doneMs, doing) });
  bar.stop();
  if (signal.aborted && !hasMeasured(result))
    throw new Failure('interrupted before anything was measured', EXIT_CODES.interrupted);
  await report(result, options, terminal);
  const complaint = signal.aborted ? undefined : judge(result, options.failBelow);
  if (complaint !== undefined) throw new Failure(complaint);
  signal.throwIfAborted();
}

// A round that ends in its warm-up has a window too, of no time and without calls.
function hasMeasured({ contenders }: BenchResult): boolean {
  return contenders.some(({ rounds }) => rounds.some(({ completed, failed }) => completed + failed > 0));
}

async function report(result: BenchResult, { json, html }: BenchOptions, terminal: Terminal): Promise<void> {
  if (json === true) terminal.printJson(toJson(result));
  else terminal.print(toLines(result, { ...terminal, charset: toCharset() }).join('\n'));
  if (html === undefined) return;
  await writeOut('--html', html, toHtml(result, new Date()));
  terminal.note(`Report written to ${html}`);
}

// What is piped ends up in files and logs of all kinds.
function toCharset(): Charset {
  return process.stdout.isTTY && process.env.TERM !== 'dumb' ? 'blocks' : 'ascii';
}
