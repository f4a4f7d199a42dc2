import { hostname } from 'node:os';
import { printable } from '../../core/index.ts';
import { millisecondsJson, STUDIO_AGENT } from '../../protocol/index.ts';
import type { CallEnded } from '../../sessions/index.ts';
import { type EventLog, type EventLogger, eventLog } from './event-log.ts';
import type { LogStream } from './log-batches.ts';
import { PLAIN_URL, toLoggedUrl } from './logged-url.ts';

// Pino's numbers.
const DEBUG = 20;
const INFO = 30;

/**
 * The lines of `eventLog`, without pino for calls and requests. Pino looks at each field's serializers,
 * redaction and formatters, of which there are none here; that was a tenth of a call.
 */
export function fastLog(logger: EventLogger & { readonly levelVal?: number }, stream: LogStream): EventLog {
  const slow = eventLog(logger);
  const quoteName = nameQuotes();
  const origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  const head = (time: number) => `{"level":${INFO},"time":${time},${origin}`;
  // At any time, because a level can be changed while the server runs.
  const isOff = (level: number) => (logger.levelVal ?? INFO) > level;
  return {
    ...slow,
    requestEnded(request) {
      const { method, url, sid, identity, status, durationMs, agent, isTold } = request;
      if (isOff(INFO)) return;
      // Who was refused, or has left, is in no hurry; nor is the studio, and at level debug nobody is.
      if (
        status >= 400 ||
        isTold ||
        agent === STUDIO_AGENT ||
        method === undefined ||
        url === undefined ||
        durationMs === undefined
      )
        return slow.requestEnded(request);
      const asked = PLAIN_URL.test(url) ? `"${url}"` : JSON.stringify(toLoggedUrl(url));
      const who = `${sid === undefined ? '' : `,"sid":${quote(sid)}`}${whose(identity, quoteName)}`;
      const rest = `,"status":${status},"ms":${millisecondsJson(durationMs)},"msg":"request"}\n`;
      stream.write(`${head(Date.now())},"method":"${method}","url":${asked}${who}${rest}`);
    },
    writesTold: () => !isOff(DEBUG),
    on(event) {
      // Nothing is written of these two, which every call causes as well.
      if (event.type === 'call_started' || event.type === 'call_running') return;
      if (event.type !== 'call_ended') return slow.on(event);
      // Made later: the caller waits for the answer now, and not for the line.
      if (!isOff(INFO))
        stream.write(() => `${head(Math.floor(event.at))}${callFields(event, quoteName)},"msg":"call"}\n`);
    },
  };
}

function callFields({ call, durationMs, outcome, reward, finished }: CallEnded, quoteName: Quote): string {
  const { id, tool, identity, session, traceId, mcpId } = call;
  const paid = `${reward === null ? '' : `,"reward":${reward}`}${finished ? ',"finished":true' : ''}`;
  const protocol = mcpId === undefined ? '' : `,"protocol":"mcp","mcpId":${quote(mcpId)}`;
  const rest = `,"tool":${quoteName(tool)},"ms":${millisecondsJson(durationMs)},"outcome":"${outcome}"${paid}${protocol}`;
  if (session !== undefined) {
    const where = `,"sid":${quote(session.sid)}${whose(identity, quoteName)},"environment":${quoteName(session.environment)}`;
    return `${where},"taskId":${quote(id)}${rest}`;
  }
  const trace = traceId === undefined ? '' : `,"traceId":${quote(traceId)}`;
  return `,"callId":${quote(id)}${trace}${whose(identity, quoteName)}${rest}`;
}

function whose(identity: string | undefined, quoteName: Quote): string {
  return identity ? `,"identity":${quoteName(identity)}` : '';
}

// Of environments and tools there are fewer; of identities there may be any number, since tokens name them.
const MAX_REMEMBERED = 1_000;

type Quote = (text: string) => string;

/** Quotes names that come again and again. */
function nameQuotes(): Quote {
  const known = new Map<string, string>();
  return (name) => known.get(name) ?? remember(name, known);
}

function remember(name: string, known: Map<string, string>): string {
  const quoted = quote(name);
  if (known.size < MAX_REMEMBERED) known.set(name, quoted);
  return quoted;
}

// Most values are ids and paths, which need no escape.
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quote(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(printable(value));
}
