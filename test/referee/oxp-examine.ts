import { createServer, type ServerOptions } from 'tiltyard/server';
import { onTestFinished } from 'vitest';
import { ForeignSchemas } from '../../src/checking/foreign/foreign-schemas.ts';
import { oxpProbes, oxpSubject } from '../../src/checking/referee/oxp/index.ts';
import type { Finding } from '../../src/checking/referee/probe.ts';
import { Recorder, type RecorderOptions } from '../../src/checking/referee/recorder.ts';
import { runProbes } from '../../src/checking/referee/run-probes.ts';

/** The key of the servers that want one. */
export const KEY = 'a-key-of-the-referee';

/** How a server is examined. */
export interface Examination {
  readonly credentials?: Readonly<Record<string, string>>;
  /** Default: true. */
  readonly isActive?: boolean;
}

/** Starts a server that is closed when the test ends. */
export async function startServer(options: ServerOptions): Promise<string> {
  const server = await createServer({ logger: false, ...options });
  onTestFinished(() => server.close());
  return server.listen();
}

/** Runs all probes of OXP against a server. */
export async function examineOxp(
  url: string,
  { credentials = {}, isActive = true }: Examination = {},
): Promise<Finding[]> {
  const http = toOptions(url, credentials);
  using schemas = new ForeignSchemas();
  const subject = await oxpSubject(new Recorder(http), schemas, credentials);
  return await runProbes(oxpProbes, { subject, http, isActive });
}

/** How a recorder reaches a server. */
export function toOptions(url: string, headers: Readonly<Record<string, string>> = {}): RecorderOptions {
  return { url, headers, timeoutMs: 10_000, signal: new AbortController().signal };
}

/** The ids of the findings with a verdict. */
export function idsOf(findings: readonly Finding[], verdict: Finding['verdict']): string[] {
  return findings.filter((finding) => finding.verdict === verdict).map(({ id }) => id);
}
