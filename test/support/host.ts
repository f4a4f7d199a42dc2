import { vi } from 'vitest';
import { catalog } from '../../src/core/index.ts';
import { type Call, LocalHost } from '../../src/sessions/index.ts';
import { DEFAULT_SESSION_OPTIONS, type SessionOptions } from '../../src/sessions/options.ts';
import { SECOND } from './clock.ts';
import { gated } from './gates.ts';

/** How often sessions are looked through. */
export const SWEEP: number = 5 * SECOND;

/** A host with one session `s`, at the defaults but for what a test changes; its clock is the test's. */
export async function startHost(
  options: Partial<SessionOptions> = {},
  task: { gates?: string[]; deaf?: boolean } = {},
) {
  const gates = gated();
  const host = new LocalHost(catalog(gates.environments), { ...DEFAULT_SESSION_OPTIONS, ...options });
  await host.create('s', { choice: { task }, secrets: {} });
  await vi.advanceTimersByTimeAsync(0);
  const call = (taskId?: string) => host.call('s', { name: 'wait', input: {}, taskId });
  return { ...gates, host, call };
}

/** Lets time pass. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** The code of the error that a call ended with. */
export function errorOf({ ending }: Call): string | undefined {
  return ending?.kind === 'result' ? undefined : ending?.error.code;
}
