import { hostname } from 'node:os';
import { type EventLog, type EventLogger, eventLog } from './event-log.ts';
import type { LogStream } from './log-batches.ts';

const INFO = 30;

/**
 * The lines of `eventLog`, without pino for the two that every call causes. Pino looks at each field's serializers,
 * redaction and formatters, of which there are none here; that was a tenth of a call.
 */
export function quickLines(logger: EventLogger & { readonly levelVal?: number }, stream: LogStream): EventLog {
  const origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  const toTime = latestTime();
  const toName = quotedNames();
  // At any time, because a level can be changed while the server runs.
  const isOff = () => (logger.levelVal ?? INFO) > INFO;
  const line = (time: number, fields: string, message: string) =>
    `{"level":${INFO},"time":${toTime(time)},${origin},${fields},"msg":"${message}"}\n`;
  return {
    ...eventLog(logger),
    requestEnded({ method, url, sid, status, durationMs }) {
      if (isOff()) return;
      const session = sid === undefined ? '' : `,"sid":${quote(sid)}`;
      const ms = toMilliseconds(durationMs);
      const fields = `"method":${toName(method)},"url":${quote(url)}${session},"status":${status},"ms":${ms}`;
      stream.write(line(Date.now(), fields, 'request'));
    },
    callEnded({ callId, tool, startedAt, settledAt }, outcome, session) {
      if (isOff()) return;
      const time = Date.now();
      // Made later: the caller waits for the answer now, and not for the line.
      stream.write(() => {
        const what = `"tool":${toName(tool)},"ms":${toMilliseconds(settledAt - startedAt)},"outcome":"${outcome}"`;
        if (session === undefined) return line(time, `"callId":${quote(callId)},${what}`, 'call');
        const where = `"sid":${quote(session.sid)},"environment":${toName(session.environmentName)}`;
        return line(time, `${where},"taskId":${quote(callId)},${what}`, 'call');
      });
    },
  };
}

/** A time as text; many lines have the same. */
function latestTime(): (time: number) => string {
  let latest = 0;
  let text = '0';
  return (time) => {
    if (time !== latest) {
      latest = time;
      text = String(time);
    }
    return text;
  };
}

/** Names as JSON, remembered: of methods, environments and tools there are only so many. */
function quotedNames(): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let quoted = known.get(name);
    if (quoted === undefined) {
      quoted = JSON.stringify(name);
      known.set(name, quoted);
    }
    return quoted;
  };
}

// What stands behind the point for each number of microseconds: a fraction takes longer to write than the rest of a line.
const FRACTIONS = Array.from({ length: 1000 }, (_, micros) => String(micros / 1000).slice(1));

/** Milliseconds with three decimals at the most, as String() writes them. */
function toMilliseconds(ms: number): string {
  const micros = Math.round(ms * 1000);
  const rest = micros % 1000;
  return `${(micros - rest) / 1000}${FRACTIONS[rest] ?? ''}`;
}

// Most values are ids and paths, which need no escape.
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quote(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}
