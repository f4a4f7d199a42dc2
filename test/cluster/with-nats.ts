import { describe, onTestFinished } from 'vitest';
import { skipAloud } from '../support/needed.ts';
import { findCurrentNats, findPackagedNats, type NatsProgram } from './nats-programs.ts';
import { type NatsOptions, type NatsServers, startNats } from './nats-servers.ts';

/** What NATS a group of tests runs on. */
export interface NatsKind {
  readonly name: string;
  readonly program: () => Promise<NatsProgram>;
  readonly count: 1 | 3;
}

export const PACKAGED: NatsKind = { name: "the distribution's nats-server", program: findPackagedNats, count: 1 };
export const CURRENT: NatsKind = { name: 'a current nats-server', program: findCurrentNats, count: 1 };
export const THREE: NatsKind = { name: 'three current servers of NATS', program: findCurrentNats, count: 3 };

/** A describe whose tests start servers of NATS of their own; skipped aloud where there is no such program. */
export async function describeWithNats(
  { name, program, count }: NatsKind,
  tests: (start: (options?: NatsOptions) => Promise<NatsServers>) => void,
): Promise<void> {
  const found = await program();
  if ('missing' in found) {
    skipAloud(`a cluster on ${name}`, found.missing);
    describe.skip(`on ${name} (skipped: ${found.missing})`, () => tests(() => Promise.reject()));
    return;
  }
  describe(`on ${name}`, () => {
    tests(async (options) => {
      const servers = await startNats(found.path, count, options);
      onTestFinished(() => servers[Symbol.asyncDispose]());
      return servers;
    });
  });
}
