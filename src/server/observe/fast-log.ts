import { hostname } from 'node:os';
import { printable } from '../../core/index.ts';
import { type EventLog, type EventLogger, eventLog } from './event-log.ts';
import type { LogStream } from './log-batches.ts';
import { PLAIN_URL, toLoggedUrl } from './logged-url.ts';

const INFO = 30;

/**
 * The lines of `eventLog`, without pino for the two that every call causes. Pino looks at each field's serializers,
 * redaction and formatters, of which there are none here; that was a tenth of a call.
 */
export function fastLog(logger: EventLogger & { readonly levelVal?: number }, stream: LogStream): EventLog {
  const slow = eventLog(logger);
  const headAt = heads();
  const [methodOf, environmentOf, toolOf] = [fields('method'), fields('environment'), fields('tool')];
  const identityOf = fields('identity');
  const whose = (identity: string | undefined) => (identity ? identityOf(identity) : '');
  // At any time, because a level can be changed while the server runs.
  const isOff = () => (logger.levelVal ?? INFO) > INFO;
  return {
    ...slow,
    requestEnded(request) {
      const { method, url, sid, identity, status, durationMs } = request;
      if (isOff()) return;
      // Who was refused, or has left, is in no hurry.
      const { remoteAddress, code, parserError } = request;
      const isUsual = status < 400 && (remoteAddress ?? code ?? parserError) === undefined;
      if (!isUsual || method === undefined || url === undefined || durationMs === undefined)
        return slow.requestEnded(request);
      const session = sid === undefined ? '' : `,"sid":${quote(sid)}`;
      const asked = PLAIN_URL.test(url) ? `"${url}"` : JSON.stringify(toLoggedUrl(url));
      const rest = `,"status":${status},"ms":${toMilliseconds(durationMs)},"msg":"request"}\n`;
      stream.write(`${headAt(Date.now())}${methodOf(method)},"url":${asked}${session}${whose(identity)}${rest}`);
    },
    on(event) {
      // Nothing is written of these two, which every call causes as well.
      if (event.type === 'call_started' || event.type === 'call_running') return;
      if (event.type !== 'call_ended') return slow.on(event);
      if (isOff()) return;
      // Made later: the caller waits for the answer now, and not for the line.
      stream.write(() => {
        const { call, outcome, reward, finished } = event;
        const { session, traceId } = call;
        const paid = `${reward === null ? '' : `,"reward":${reward}`}${finished ? ',"finished":true' : ''}`;
        const ending = `,"ms":${toMilliseconds(event.durationMs)},"outcome":"${outcome}"${paid},"msg":"call"}\n`;
        const head = headAt(Math.floor(event.at));
        const rest = `${toolOf(call.tool)}${ending}`;
        const who = whose(call.identity);
        if (session === undefined) {
          const trace = traceId === undefined ? '' : `,"traceId":${quote(traceId)}`;
          return `${head},"callId":${quote(call.id)}${trace}${who}${rest}`;
        }
        const where = `,"sid":${quote(session.sid)}${who}${environmentOf(session.environment)}`;
        return `${head}${where},"taskId":${quote(call.id)}${rest}`;
      });
    },
  };
}

/** How lines of a moment begin; many have the same. */
function heads(): (time: number) => string {
  const origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  let latest = 0;
  let head = '';
  return (time) => {
    if (time !== latest) {
      latest = time;
      head = `{"level":${INFO},"time":${time},${origin}`;
    }
    return head;
  };
}

// Of methods, environments and tools there are fewer; of identities there may be any number, since tokens name them.
const MAX_REMEMBERED = 1_000;

/** Makes a field out of a name, and remembers it, so that a line is made from few pieces. */
function fields(key: string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let field = known.get(name);
    if (field === undefined) {
      field = `,"${key}":${JSON.stringify(printable(name))}`;
      if (known.size < MAX_REMEMBERED) known.set(name, field);
    }
    return field;
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
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(printable(value));
}
