import type { FastifyBaseLogger } from 'fastify';
import { printable } from '../../core/index.ts';
import { STUDIO_AGENT } from '../../protocol/index.ts';
import type {
  CallEnded,
  HostEvent,
  Observer,
  SessionEnded,
  SessionFacts,
  SessionNotRecovered,
  SessionRebuilt,
  TaskIdReused,
} from '../../sessions/index.ts';
import { toLoggedUrl } from './logged-url.ts';

/** A request that has been answered, or whose client has left. Of what is no HTTP, only the answer is known. */
export interface EndedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The session it names, if any. */
  readonly sid?: string | undefined;
  /** Who it comes from; undefined or empty where nobody is known. */
  readonly identity?: string | undefined;
  /** Where it comes from, if that is of interest: of those that went well it would only make the lines longer. */
  readonly remoteAddress?: string | undefined;
  readonly status: number;
  /** The code of the error that it was answered with, if that has one. */
  readonly code?: string | undefined;
  /** What Node's parser found wrong with it. */
  readonly parserError?: string | undefined;
  readonly durationMs?: number | undefined;
  /** What the client calls itself: what the studio asks to find its way is told from the rest by that. */
  readonly agent?: string | undefined;
  /** Whether the line of a call tells of it. */
  readonly isTold?: boolean | undefined;
}

/** Writes a line for each call and session that ended, and for each request, unless it is told by that of its call. Inputs and results are not in it: they may hold secrets. */
export interface EventLog extends Observer {
  requestEnded(request: EndedRequest): void;
  /** Whether it writes requests also that the line of their call tells of, as at level debug. A level can be changed while the server runs. */
  writesTold(): boolean;
}

/** What of a logger is used. */
export type EventLogger = Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn'>;

/** Lines through a logger, which may redact or rename what is in them. */
export function eventLog(logger: EventLogger): EventLog {
  return {
    requestEnded({ method, url, sid, identity, remoteAddress, status, code, parserError, durationMs, agent, isTold }) {
      const level = isTold === true && status < 400 ? 'debug' : 'info';
      const ms = durationMs === undefined ? undefined : toMs(durationMs);
      const from = { identity: nameOf(identity), remoteAddress };
      const asked = { method, url: url && toLoggedUrl(url), sid: safe(sid) };
      const by = agent === STUDIO_AGENT ? 'studio' : undefined;
      logger[level]({ ...asked, ...from, by, status, code, parserError, ms }, 'request');
    },
    // The logger knows.
    writesTold: () => true,
    on(event: HostEvent) {
      if (event.type === 'call_ended') logger.info(callFields(event), 'call');
      else if (event.type === 'session_ended')
        logger[event.lost === undefined ? 'info' : 'warn'](sessionFields(event), 'session ended');
      else if (event.type === 'session_suspended') logger.info(sessionNames(event.session), 'session suspended');
      else if (event.type === 'session_rebuilt') logger.info(rebuiltFields(event), 'session rebuilt');
      else if (event.type === 'session_not_recovered') logger.warn(lostFields(event), 'session lost');
      // One line for each session: a client that does this once does it with every call.
      else if (event.type === 'task_id_reused' && event.isFirst) logger.warn(reuseFields(event), REUSED);
    },
  };
}

function callFields({ call, durationMs, outcome, reward, finished }: CallEnded): object {
  const { session } = call;
  const tool = printable(call.tool);
  const identity = nameOf(call.identity);
  const id = printable(call.id);
  const ms = toMs(durationMs);
  const protocol = call.mcpId === undefined ? {} : { protocol: 'mcp', mcpId: printable(call.mcpId) };
  if (session === undefined)
    return { callId: id, traceId: safe(call.traceId), identity, tool, ms, outcome, ...protocol };
  const environment = printable(session.environment);
  const paid = { reward: reward ?? undefined, finished: finished || undefined };
  return { sid: printable(session.sid), identity, environment, taskId: id, tool, ms, outcome, ...paid, ...protocol };
}

const REUSED = 'a task_id was used again for another tool or input, and nothing ran. Every call needs an id of its own';

function reuseFields({ session, taskId, tool, isRefused }: TaskIdReused): object {
  const { sid, identity, environment } = session;
  const whose = { sid: printable(sid), identity: nameOf(identity), environment: printable(environment) };
  return { ...whose, taskId: printable(taskId), tool: printable(tool), refused: isRefused };
}

function rebuiltFields({ sid, environment, steps, durationMs }: SessionRebuilt): object {
  return { sid: printable(sid), environment: printable(environment), steps, ms: toMs(durationMs) };
}

function lostFields({ sid, identity, environment, lost }: SessionNotRecovered): object {
  const whose = { sid: printable(sid), identity: nameOf(identity) };
  return { ...whose, environment: printable(environment), lost };
}

function sessionFields({ session, outcome, reason, lost, reward, calls, durationMs }: SessionEnded): object {
  return { ...sessionNames(session), outcome, reason, lost, reward: reward ?? undefined, calls, ms: toMs(durationMs) };
}

function sessionNames({ sid, identity, environment, split, index }: SessionFacts): object {
  const whose = { sid: printable(sid), identity: nameOf(identity) };
  return { ...whose, environment: printable(environment), split: safe(split), index };
}

function nameOf(identity: string | undefined): string | undefined {
  return identity ? printable(identity) : undefined;
}

function safe(text: string | undefined): string | undefined {
  return text === undefined ? undefined : printable(text);
}

// Microseconds are enough, and short.
function toMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
