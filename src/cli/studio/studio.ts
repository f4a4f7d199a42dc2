import { type Studio, startStudio, type TargetOptions } from '../../studio/index.ts';
import { misuse } from '../shared/failure.ts';
import { onInterrupt } from '../shared/interruption.ts';
import { withoutForeignFrames } from '../shared/location.ts';
import type { Target } from '../shared/serve-module.ts';
import { runBenchCommand } from '../shared/studio/bench.ts';
import { hasDisplay, openBrowser } from '../shared/studio/open-browser.ts';
import { openTarget, toUrl } from '../shared/target.ts';
import { processTerminal } from '../shared/terminal.ts';
import { toSources } from './sources.ts';

/** The options of `tiltyard studio`. */
export interface StudioCommandOptions {
  readonly port?: number;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly open: boolean;
  readonly json?: boolean;
}

/** Opens the studio on what a person named, until Ctrl-C. */
export async function studio(named: readonly string[], options: StudioCommandOptions): Promise<void> {
  const { targets, ...others } = toSources(named);
  using interruption = onInterrupt();
  const opened: { readonly text: string; readonly target: Target }[] = [];
  try {
    for (const text of targets)
      opened.push({ text, target: await openTarget(text, { events: true, signal: interruption.signal }) });
    await using running = await startStudio({
      ...others,
      targets: opened.map(toOptions),
      bench: runBenchCommand,
      toMessage: withoutForeignFrames,
      host: options.host,
      allowHosts: options.allowHost ?? [],
      ...(options.port === undefined ? {} : { port: options.port }),
    }).catch(explainPort);
    show(running, options);
    const { signal } = interruption;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    processTerminal().note('\nEnding sessions. Press Ctrl-C again to quit now.');
  } finally {
    await Promise.all(opened.map(({ target }) => target[Symbol.asyncDispose]()));
  }
}

function show(running: Studio, { json = false, host, open }: StudioCommandOptions): void {
  const terminal = processTerminal();
  if (json) terminal.printJson({ url: running.url });
  else terminal.print(`The studio is at ${running.url}\n\nStop with Ctrl-C.`);
  if (!isLoopback(host)) terminal.note(REACHABLE);
  if (open && hasDisplay(process.env, process.platform)) openBrowser(running.ticketUrl());
}

const REACHABLE =
  'tiltyard: other machines can reach the studio, over plain HTTP. Keep its address to yourself: the token lets anybody in';

function toOptions({ text, target }: { readonly text: string; readonly target: Target }): TargetOptions {
  const { url, apiKey, module } = target;
  const isModule = toUrl(text) === undefined;
  return { name: isModule ? text : url, url, apiKey, isModule, code: module?.code };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function explainPort(thrown: unknown): never {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') throw misuse('this port and the next ones are taken. Choose another with --port');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES')
    throw misuse(`the studio cannot listen there: ${message}`);
  throw thrown;
}
