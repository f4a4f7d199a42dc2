import { isObject } from '../../../protocol/index.ts';
import type { HttpResponse } from '../load/http-response.ts';
import type { LoadProblem } from '../load/problem.ts';

const MAX_DETAIL = 300;

/** Why a status that is no success was sent, as the server says it. */
export function toStatusProblem({ status, body }: HttpResponse): LoadProblem {
  return { kind: `status ${status}`, detail: toDetail(body) };
}

/** Why a request of a session failed: one that is not there is a kind of its own. */
export function toSessionProblem(response: HttpResponse): LoadProblem {
  const { status, body } = response;
  return status === 404 || status === 410 ? { kind: 'gone', detail: toDetail(body) } : toStatusProblem(response);
}

/** The text of bytes that were read as Latin-1, because that is what the checks of a load need. */
export function toWords(latin: string): string {
  const text = Buffer.from(latin, 'latin1').toString();
  return text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL).toWellFormed()}...` : text;
}

// The names under which the two protocols, and FastAPI, say what was wrong.
function toDetail(body: Buffer): string {
  const text = body.toString();
  try {
    const sent: unknown = JSON.parse(text);
    const said = isObject(sent) ? (sent.detail ?? sent.message ?? sent.error) : undefined;
    if (typeof said === 'string') return said.slice(0, MAX_DETAIL);
  } catch {
    // Not JSON: a proxy's page, most likely, and shown as it is.
  }
  return text.slice(0, MAX_DETAIL);
}
