import { isAuthorsFrame } from '../shared/location.ts';
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
  if (isSignOfLife(entry) || isGreeting(entry)) return undefined;
  const text = entry.msg === 'request' ? describeRequest(entry, colors) : describeEvent(entry, colors);
  return `${colors.dim(timeOf(entry.time))}  ${text}`;
}

/** The time of day, as lines begin with it. */
export function timeOf(time: unknown): string {
  return new Date(typeof time === 'number' ? time : Date.now()).toTimeString().slice(0, 8);
}

function describeRequest({ method, url, tool, status, ms, sid }: LogEntry, colors: Colors): string {
  const what = tool === undefined ? '' : `  ${colors.bold(toText(tool))}`;
  const whose = sid === undefined ? '' : `  ${colors.dim(shorten(sid))}`;
  const verb = toText(method).padEnd(METHOD_WIDTH);
  return `${colored(status, colors)}  ${verb} ${toText(url)}${what}  ${colors.dim(duration(ms))}${whose}`;
}

const METHOD_WIDTH = 4;

function duration(ms: unknown): string {
  return typeof ms === 'number' ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : '';
}

// Clients ping every session every few seconds, and so do those who watch over servers.
function isSignOfLife({ url, status }: LogEntry): boolean {
  return status === 200 && (url === '/ping' || url === '/health');
}

// Fastify's own; where the server listens has been said.
function isGreeting({ msg }: LogEntry): boolean {
  return typeof msg === 'string' && msg.startsWith('Server listening at ');
}

function colored(status: unknown, colors: Colors): string {
  const text = toText(status);
  if (text >= '500') return colors.red(text);
  return text >= '400' ? colors.yellow(text) : colors.green(text);
}

function describeEvent({ level, msg, sid, error, err, ...rest }: LogEntry, colors: Colors): string {
  const { time: _time, pid: _pid, hostname: _hostname, ...fields } = rest;
  const extras = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  const line = [levelName(level, colors), toText(msg ?? ''), colors.dim(extras.join(' '))];
  if (sid !== undefined) line.push(colors.dim(shorten(sid)));
  const stack = stackOf(error ?? err);
  return [line.filter((part) => part !== '').join('  '), ...(stack === undefined ? [] : [indented(stack)])].join('\n');
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

// What the author has no hand in says nothing to them.
function indented(stack: string): string {
  return toSafeText(stack)
    .split('\n')
    .filter((line) => !/^\s+at /.test(line) || isAuthorsFrame(line))
    .map((line) => `    ${line}`)
    .join('\n');
}

function shorten(sid: unknown): string {
  return toText(sid).slice(0, SHORT_SID);
}

const SHORT_SID = 8;

function toText(value: unknown): string {
  return toSafeText(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll('\n', ' ');
}
