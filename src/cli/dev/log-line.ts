import { withoutForeignFrames } from '../shared/location.ts';
import { withoutDust } from '../shared/numbers.ts';
import { toSafeText } from '../shared/safe-text.ts';
import type { Colors } from '../shared/terminal.ts';

/** A line of the server's log, as it is written: JSON. */
export interface LogEntry {
  readonly level?: unknown;
  readonly time?: unknown;
  readonly msg?: unknown;
  readonly [field: string]: unknown;
}

/** Reads a line of the log; undefined if it is none. */
export function toLogEntry(line: string): LogEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'level' in entry ? (entry as LogEntry) : undefined;
  } catch {
    // Not ours: it is shown as it is.
    return undefined;
  }
}

/** A line of the log for a person; undefined for one that says nothing new. */
export function describeEntry(entry: LogEntry, colors: Colors): string | undefined {
  if (isSignOfLife(entry) || isStudios(entry) || isGreeting(entry)) return undefined;
  const describe = DESCRIPTIONS.get(entry.msg) ?? describeEvent;
  return `${colors.dim(timeOf(entry.time))}  ${describe(entry, colors)}`;
}

/** The time of day, as lines begin with it. */
export function timeOf(time: unknown): string {
  return new Date(typeof time === 'number' ? time : Date.now()).toTimeString().slice(0, 8);
}

const DESCRIPTIONS: ReadonlyMap<unknown, (entry: LogEntry, colors: Colors) => string> = new Map([
  ['request', describeRequest],
  ['call', describeCall],
  ['session ended', describeEnd],
]);

function describeRequest({ method, url, status, ms, sid }: LogEntry, colors: Colors): string {
  const verb = toText(method).padEnd(METHOD_WIDTH);
  return joined(colored(status, colors), `${verb} ${toText(url)}`, colors.dim(duration(ms)), whose(sid, colors));
}

function describeCall({ outcome, tool, reward, finished, ms, sid }: LogEntry, colors: Colors): string {
  const color = outcome === 'returned' ? colors.green : colors.yellow;
  const step = joined(rewardText(reward, colors), finished === true ? 'finished' : '');
  return joined(color(toText(outcome)), colors.bold(toText(tool)), step, colors.dim(duration(ms)), whose(sid, colors));
}

function describeEnd({ outcome, split, index, reward, calls, sid }: LogEntry, colors: Colors): string {
  const count = `${toText(calls)} ${calls === 1 ? 'call' : 'calls'}`;
  const task = split === undefined ? '' : `${toText(split)} ${toText(index)}`;
  const ended = `session ended: ${toText(outcome)}`;
  return joined(ended, task, rewardText(reward, colors), count, whose(sid, colors));
}

function rewardText(reward: unknown, colors: Colors): string {
  return typeof reward === 'number' ? colors.bold(`reward ${withoutDust(reward)}`) : '';
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ');
}

function whose(sid: unknown, colors: Colors): string {
  return sid === undefined ? '' : colors.dim(toText(sid).slice(0, SHORT_SID));
}

const SHORT_SID = 8;
const METHOD_WIDTH = 4;

function duration(ms: unknown): string {
  return typeof ms === 'number' ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : '';
}

// Clients ping every session every few seconds, and so do those who watch over servers; the studio beside this one listens.
function isSignOfLife({ url, status }: LogEntry): boolean {
  const hasListened = (status === 200 || status === 499) && /^\/events(?:\?|$)/.test(toText(url));
  return hasListened || (status === 200 && (url === '/ping' || url === '/health'));
}

// The studio beside this server finds its way again after each reload, which nobody has asked for.
function isStudios({ by, status }: LogEntry): boolean {
  return by === 'studio' && typeof status === 'number' && status < 400;
}

// Written whenever a version begins or ends: where the server listens has been said, and the limits are asked for with a command.
function isGreeting({ msg }: LogEntry): boolean {
  return typeof msg === 'string' && (msg.startsWith('Server listening at ') || GREETINGS.has(msg));
}

const GREETINGS: ReadonlySet<string> = new Set(['limits in force', 'stopping', 'stopped']);

function colored(status: unknown, colors: Colors): string {
  const text = toText(status);
  if (text >= '500') return colors.red(text);
  return text >= '400' ? colors.yellow(text) : colors.green(text);
}

function describeEvent({ level, msg, sid, error, err, ...rest }: LogEntry, colors: Colors): string {
  const { time: _time, pid: _pid, hostname: _hostname, ...fields } = rest;
  const extras = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  const details = extras.length === 0 ? '' : colors.dim(extras.join(' '));
  const line = joined(levelName(level, colors), toText(msg ?? ''), details, whose(sid, colors));
  const stack = stackOf(error ?? err);
  return stack === undefined ? line : `${line}\n${indented(stack)}`;
}

function levelName(level: unknown, colors: Colors): string {
  const number = typeof level === 'number' ? level : LEVELS.info;
  if (number >= LEVELS.error) return colors.red('error');
  if (number >= LEVELS.warn) return colors.yellow('warn');
  return number >= LEVELS.info ? 'info' : colors.dim('debug');
}

const LEVELS = { info: 30, warn: 40, error: 50 };

// As it was logged: with the stack, which is what an author needs here.
function stackOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  return typeof stack === 'string' ? stack : typeof message === 'string' ? message : undefined;
}

function indented(stack: string): string {
  return toSafeText(withoutForeignFrames(stack))
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

function toText(value: unknown): string {
  return toSafeText(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll('\n', ' ');
}
