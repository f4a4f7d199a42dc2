import { type EpisodeLog, episodeLog, type Log, printable, type Secrets, type ToolEnding } from '../../core/index.ts';
import type { ToolboxCall, ToolboxRequest } from './call.ts';

/** A log whose lines tell of which call they are. */
export function toolboxLog(log: Log, request: ToolboxRequest): EpisodeLog {
  return episodeLog(log, fieldsOf(request), hiddenIn(request));
}

/** All that a caller handed over and nobody else may see. */
export function hiddenIn({ secrets, authorization }: ToolboxRequest): Secrets {
  // By numbers: a secret and an authorization may have the same id.
  return Object.fromEntries([...Object.values(secrets), ...Object.values(authorization)].entries());
}

/** Writes how a run ended. */
export function logEnding(log: Log, request: ToolboxRequest, ending: ToolEnding, { abort }: ToolboxCall): void {
  const tool = `tool '${request.tool.definition.name}'`;
  // Most calls end here; the line of the request tells of them already, and there is nothing to hide in this one.
  if (ending.kind === 'returned') return log.debug(fieldsOf(request), `${tool} returned`);
  const careful = toolboxLog(log, request);
  if (ending.kind === 'timed_out') return careful.warn(`${tool} took longer than ${ending.timeoutMs} ms`);
  if (ending.kind === 'failed') return careful.info(`${tool} reported a failure`, { error: ending.failure });
  const { error } = ending;
  // Nobody waits for it any more; most tools throw when they hear that.
  if (abort.aborted) return careful.info(`${tool} was aborted`, { error });
  // The whole of it, because the causes say why; the log takes the secrets out.
  careful.error(`${tool} failed`, { error });
}

function fieldsOf({ tool, callId, traceId }: ToolboxRequest): object {
  return { tool: tool.definition.id, callId: printable(callId), traceId: traceId && printable(traceId) };
}
