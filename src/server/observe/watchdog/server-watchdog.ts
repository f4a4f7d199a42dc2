import { DefinitionError, type Limits, type Rule } from '../../../core/index.ts';
import { isObject } from '../../../protocol/index.ts';
import type { Logged } from '../logger.ts';
import type { LineOutput } from './lines.ts';
import { releaseWatchdog, shareWatchdog } from './shared-watchdog.ts';
import type { Watchdog } from './watchdog.ts';

/** Whether a server has a watchdog, or how it is told. */
export type WatchdogOption = boolean | { readonly fd?: number };

/** What can be given as `watchdog`. */
export const watchdogRule: Rule = (value, place) => {
  const fd =
    isObject(value) && Object.keys(value).every((key) => key === 'fd') ? (value.fd ?? STANDARD_ERROR) : undefined;
  if (typeof value === 'boolean' || (Number.isInteger(fd) && (fd as number) >= 0)) return;
  throw new DefinitionError(`${place} must be true, false, or { fd } with the number of an open file`);
};

/** Where a watchdog writes unless it is told. Standard output may hold half a line of the logger's at that moment. */
export const STANDARD_ERROR = 2;

/** The watchdog for a server that asks for one, until it closes. */
export function serverWatchdog(
  app: Logged,
  option: WatchdogOption | undefined,
  { maxBlockMs }: Pick<Limits, 'maxBlockMs'>,
): Watchdog | undefined {
  if (option === undefined || option === false || maxBlockMs === 0) return undefined;
  const watchdog = shareWatchdog({ maxBlockMs, log: app.log, output: toOutput(app, option) });
  app.addHook('onClose', async () => releaseWatchdog());
  return watchdog;
}

/** Where the watchdog of a server writes; undefined if it has none. */
export function toWatchdogOutput(app: Logged, option: WatchdogOption | undefined): LineOutput | undefined {
  return option === undefined || option === false ? undefined : toOutput(app, option);
}

function toOutput(app: Logged, option: Exclude<WatchdogOption, false>): LineOutput {
  const { fd = STANDARD_ERROR } = option === true ? {} : option;
  return { fd, level: levelOf(app.log) };
}

function levelOf({ level, levelVal }: { readonly level?: string; readonly levelVal?: number }): number {
  return level === 'silent' ? Number.POSITIVE_INFINITY : (levelVal ?? 0);
}
