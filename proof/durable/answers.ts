import { createHash } from 'node:crypto';
import type { Outcome } from 'tiltyard';
import { OutcomeUnknown, SessionTerminated } from 'tiltyard/client';
import { readEvents, toPayloads } from '../../test/support/sse.ts';
import { toAnswer, toOxpAnswer, toThrownAnswer } from '../chaos/answers.ts';
import type { Answer } from '../chaos/events.ts';
import type { WireAnswer } from '../chaos/wire.ts';

// As the documents have it: by its code where there is a status, and in words where the stream has begun.
const LOST = /"code":"session_lost"|^data: session '[^']+' was lost: /m;
const UNKNOWN = /"code":"outcome_unknown"|^data: it is not known whether tool |it is not known whether it has run: /m;

// The server is starting, stopping, or has no process to run it in: nothing was done.
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What the answer to a call says; undefined if it has to be sent once more. */
export function toDurableAnswer(wire: WireAnswer | undefined): Answer | undefined {
  if (wire === undefined || !wire.isWhole || AGAIN.has(wire.status)) return undefined;
  const answer = toToldEnd(wire) ?? toAnswer(wire, 'first');
  return answer.kind === 'scored' ? { ...answer, digest: digestOf(wire.body) } : answer;
}

/** The same over OXP. */
export function toDurableOxpAnswer(wire: WireAnswer | undefined): Answer | undefined {
  if (wire === undefined || !wire.isWhole || AGAIN.has(wire.status)) return undefined;
  return toToldEnd(wire) ?? toOxpAnswer(wire, 'first');
}

/** What an error of our client says; undefined if it is none that a caller should ever see. */
export function toDurableThrown(error: unknown): Answer | undefined {
  if (error instanceof SessionTerminated && error.code === 'session_lost')
    return { kind: 'lost', why: error.message, outcome: error.outcome };
  if (error instanceof OutcomeUnknown) return { kind: 'outcome_unknown', why: error.message, outcome: error.outcome };
  return toThrownAnswer(error);
}

/** The id under which the server has a call, also if nothing more has come. */
export function announcedId(wire: WireAnswer | undefined): string | undefined {
  return /^event: ?task_id\r?\ndata: ?(.+)\r?\n/m.exec(wire?.body ?? '')?.[1];
}

function toToldEnd({ body }: WireAnswer): Answer | undefined {
  const why = body.slice(0, 300);
  const outcome = (/^: outcome (\w+)$/m.exec(body)?.[1] ?? 'env_error') as Outcome;
  if (LOST.test(body)) return { kind: 'lost', why, outcome };
  return UNKNOWN.test(body) ? { kind: 'outcome_unknown', why, outcome } : undefined;
}

/** Of the bytes of a result, however they were cut into pieces. */
function digestOf(body: string): string {
  const bytes = toPayloads(readEvents(body)).join('');
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
