import type { Exchange, Recorder } from './recorder.ts';

/** Where a requirement comes from: the texts, the official SDKs, or good sense where both are silent. */
export type Level = 'specified' | 'interop' | 'hardening';

/** What is required of a server, or of an environment. */
export interface Requirement {
  /** As in the conformance lists: D11, C4. */
  readonly id: string;
  /** Findings are shown under this heading. */
  readonly group: string;
  readonly level: Level;
  /** What is required, in one sentence. */
  readonly requirement: string;
  /** The place in the specification: ors-http-api.txt:77-95. */
  readonly source: string;
  /** What to do about a failure, where that is known. */
  readonly advice?: string;
}

/** One requirement, and how to see from outside whether a server meets it. */
export interface Probe<Subject> extends Requirement {
  /** Whether it calls tools, which may have effects; such probes run only when the user allows it. */
  readonly isActive?: boolean;
  /** Resolves if the requirement is met; throws Unmet or NotApplicable otherwise. */
  run(subject: Subject, http: Recorder): Promise<void>;
}

/** What came of a probe. */
export interface Finding extends Requirement {
  readonly verdict: 'pass' | 'fail' | 'skip';
  /** Why it failed or was skipped. */
  readonly reason?: string;
  /** What was sent and received; only of failures. */
  readonly exchanges: readonly Exchange[];
}

/** The server does not do what is required. */
export class Unmet extends Error {}

/** Nothing about this server shows whether it does. */
export class NotApplicable extends Error {}

/** Fails the probe unless something holds. */
export function insist(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Unmet(message);
}

/** Skips the probe unless something holds. */
export function need(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new NotApplicable(reason);
}
