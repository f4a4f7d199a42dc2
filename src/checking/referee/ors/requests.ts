import { randomUUID } from 'node:crypto';
import { type JsonObject, SESSION_HEADER } from '../../../protocol/index.ts';
import { need } from '../probe.ts';
import type { Ask } from '../recorder.ts';
import type { OrsSubject } from './subject.ts';

/** A name that no environment, split, tool or session has. */
export const UNKNOWN = 'tiltyard_unknown';

/** A call that no server runs: there is no such tool. */
export const HARMLESS_CALL: JsonObject = { name: UNKNOWN, input: {} };

/** The header of a session. */
export function withSid(sid: string): { headers: Record<string, string> } {
  return { headers: { [SESSION_HEADER]: sid } };
}

/** The header of a session that nobody has opened. */
export function withUnknownSid(): { headers: Record<string, string> } {
  return withSid(randomUUID());
}

/** The requests that need a session, each harmless. */
export function sessionRequests({ base, split }: OrsSubject): Ask[] {
  return [
    { method: 'POST', path: '/create', body: { split: split?.name ?? UNKNOWN, index: 0 } },
    { method: 'POST', path: '/ping' },
    { method: 'POST', path: '/delete' },
    { method: 'POST', path: '/delete_session' },
    { method: 'GET', path: `${base}/prompt` },
    { method: 'GET', path: `${base}/task_tools` },
    { method: 'POST', path: `${base}/call`, body: HARMLESS_CALL },
  ];
}

/** The requests about the tasks of a split, with bodies that are good but for what is changed. */
export function taskRequests({ base }: Pick<OrsSubject, 'base'>, changed: JsonObject): Ask[] {
  return [
    { method: 'POST', path: `${base}/tasks`, body: { ...changed } },
    { method: 'POST', path: `${base}/num_tasks`, body: { ...changed } },
    { method: 'POST', path: `${base}/task`, body: { index: 0, ...changed } },
    { method: 'POST', path: `${base}/task_range`, body: { start: 0, stop: 1, ...changed } },
  ];
}

/** The split that probes ask for; those that need one are skipped where there is none. */
export function splitOf({ split }: OrsSubject): NonNullable<OrsSubject['split']> {
  need(split !== undefined, 'no split has any tasks');
  return split;
}

/** A request in short, for reasons: "POST /ping". */
export function nameOf({ method, path }: Ask): string {
  return `${method} ${path}`;
}
