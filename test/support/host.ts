import { vi } from 'vitest';
import { catalog, type Environment } from '../../src/core/index.ts';
import {
  type CallEnding,
  type CallEvent,
  type CallRequest,
  DEFAULT_SESSION_OPTIONS,
  type HostEvent,
  LocalHost,
  LocalRuntime,
  type SessionHost,
  type SessionOptions,
  type SessionRef,
} from '../../src/sessions/index.ts';
import { SECOND } from './clock.ts';
import { gated } from './gates.ts';

/** How often sessions are looked through. */
export const SWEEP: number = 5 * SECOND;

/** The session of most tests. */
export const SESSION: SessionRef = refOf('s');

/** A session by its id, of nobody unless told otherwise. */
export function refOf(sid: string, identity = ''): SessionRef {
  return { identity, sid };
}

/** What a client hears of its call. */
export class HeardCall {
  readonly events: CallEvent[] = [];
  /** Says that the client has left. */
  leave: () => void = () => {};

  /** Its id, once the client was told. */
  get id(): string | undefined {
    return this.events[0]?.taskId;
  }

  get phase(): 'silent' | CallEvent['kind'] {
    return this.events.at(-1)?.kind ?? 'silent';
  }

  /** How it ended, once it has. */
  get ending(): CallEnding | undefined {
    const last = this.events.at(-1);
    return last?.kind === 'settled' ? last.ending : undefined;
  }
}

/** Calls a tool and writes down what is heard of it. */
export function hear(host: SessionHost, ref: SessionRef, request: CallRequest): HeardCall {
  const heard = new HeardCall();
  heard.leave = host.call(ref, request, (event) => void heard.events.push(event));
  return heard;
}

/** A host of these environments, at the defaults but for what a test changes. */
export interface TestHost {
  readonly host: LocalHost;
  /** All that happened to sessions and calls. */
  readonly events: readonly HostEvent[];
  /** How many sessions have begun and not ended. */
  live(): number;
  /** Calls a tool of the session `s`. */
  callTool(request: CallRequest): HeardCall;
}

/** Makes a host; nothing is in it yet. */
export function hostOf(environments: readonly Environment[], changes: Partial<SessionOptions> = {}): TestHost {
  const events: HostEvent[] = [];
  const { observer } = { ...DEFAULT_SESSION_OPTIONS, ...changes };
  const on = (event: HostEvent) => {
    events.push(event);
    observer.on(event);
  };
  const options = { ...DEFAULT_SESSION_OPTIONS, ...changes, observer: { ...observer, on } };
  const host = new LocalHost(new LocalRuntime(catalog(environments), options), options);
  const count = (type: HostEvent['type']) => events.filter((event) => event.type === type).length;
  return {
    host,
    events,
    live: () => count('session_started') - count('session_ended'),
    callTool: (request) => hear(host, SESSION, request),
  };
}

/** A host of the gated environment with one session `s`; its clock is the test's. */
export async function startHost(
  options: Partial<SessionOptions> = {},
  task: { gates?: string[]; deaf?: boolean } = {},
) {
  const gates = gated();
  const made = hostOf(gates.environments, options);
  await made.host.create(SESSION, { choice: { task }, secrets: {} });
  await vi.advanceTimersByTimeAsync(0);
  const call = (taskId?: string) => made.callTool({ name: 'wait', input: {}, taskId });
  return { ...gates, ...made, call };
}

/** Lets time pass. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** The code of the error that a call ended with. */
export function errorOf({ ending }: HeardCall): string | undefined {
  return ending === undefined || ending.kind === 'returned' ? undefined : ending.failure.code;
}

/** What a call returned. */
export function resultOf({ ending }: HeardCall): string | undefined {
  return ending?.kind === 'returned' ? ending.json : undefined;
}
