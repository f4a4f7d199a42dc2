import { Failure } from '../shared/failure.ts';
import { onInterrupt } from '../shared/interruption.ts';
import { assertExists, assertModule, manifestOf } from '../shared/module-path.ts';
import { untilUnread } from '../shared/output.ts';
import { takeAccess } from '../shared/serving/access.ts';
import { defaultPort } from '../shared/serving/port.ts';
import { takeJournalKey } from '../shared/serving/variables.ts';
import { toWebOptions, type WebArguments } from '../shared/serving/web.ts';
import { processTerminal } from '../shared/terminal.ts';
import { DevStudio } from './dev-studio.ts';
import { peoplesDisplay, programsDisplay } from './display.ts';
import { Reloader } from './reloader.ts';
import { typeCheck } from './type-check.ts';
import { Watch } from './watch.ts';

/** The options of `tiltyard dev`. */
export interface DevOptions extends WebArguments {
  readonly port?: number;
  readonly host: string;
  readonly auth: boolean;
  readonly watch?: readonly string[];
  readonly studio: boolean;
  readonly logLevel: string;
  readonly json?: boolean;
}

/** Serves modules, and serves them anew whenever their files change, until a signal ends it. */
export async function dev(modules: readonly string[], options: DevOptions): Promise<void> {
  const { host, port = defaultPort(process.env), logLevel, json = false } = options;
  const terminal = processTerminal();
  const warn = (message: string) => terminal.note(`tiltyard: ${message}`);
  const auth = await takeAccess(options, warn);
  takeJournalKey(process.env);
  const web = await toWebOptions(options);
  const paths = options.watch ?? [];
  modules.forEach(assertModule);
  paths.forEach(assertExists);
  const unread = new AbortController();
  void untilUnread().then(() => unread.abort());
  using interruption = onInterrupt();
  const signal = AbortSignal.any([interruption.signal, unread.signal]);
  signal.addEventListener('abort', () => terminal.note('\nEnding sessions. Press Ctrl-C again to quit now.'));
  await using watch = new Watch((error) => warn(`cannot watch some files: ${error}`));
  // It decides how Node reads the modules.
  const manifests = modules.flatMap((module) => manifestOf(module) ?? []);
  for (const path of [...modules, ...paths, ...manifests]) watch.add(path);
  const shown = json ? programsDisplay(terminal) : peoplesDisplay(terminal, auth);
  await using studio = new DevStudio({ name: modules[0] ?? '', auth, display: shown });
  const display = options.studio ? { ...shown, listening: studio.around(shown.listening) } : shown;
  using background = typeCheck(process.cwd(), display);
  const reloader = new Reloader({
    plan: { modules, logLevel, web, ...(auth === undefined ? {} : { auth }) },
    address: { host, port },
    output: json ? 'stderr' : 'stdout',
    watch,
    display,
    background,
  });
  await reloader.run(signal);
  if (!interruption.signal.aborted) throw new Failure('stopped: standard output was closed');
}
