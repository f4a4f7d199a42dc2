import type { JsonObject } from '../../protocol/index.ts';
import type { Problem } from './problem.ts';

/** Something that takes a while: the referee, the lint, or a measurement. */
export type NewJob = NewCheck | NewLint | NewBench;

/** Checks a server against the protocols that it speaks. */
export interface NewCheck {
  readonly kind: 'check';
  readonly target: string;
  /** Whether tools may be called. Default: false. */
  readonly active?: boolean;
  /** Only these requirements: `ors`, `ors/D`, `ors/D7`. Default: all. */
  readonly only?: readonly string[];
  /** The weakest level whose failures count. Default: interop. */
  readonly level?: 'specified' | 'interop' | 'hardening';
}

/** Looks for what would spoil training in the environments of a server. */
export interface NewLint {
  readonly kind: 'lint';
  readonly target: string;
  /** Default: all of them. */
  readonly environment?: string;
  readonly active?: boolean;
  /** How many tasks of each split are looked at. Default: 5. */
  readonly samples?: number;
  readonly seed?: number;
}

/** Measures a server on this machine, for at most a minute. */
export interface NewBench {
  readonly kind: 'bench';
  readonly target: string;
  /** Default: 5. */
  readonly seconds?: number;
  /** Default: 16. */
  readonly connections?: number;
}

/** A job without what it found. */
export interface JobHead {
  readonly id: string;
  readonly kind: NewJob['kind'];
  /** Null for a report that was read from a file. */
  readonly target: string | null;
  /** What it looks at, in words. */
  readonly title: string;
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** `total` is 0 while it is not known. */
  readonly progress: { readonly done: number; readonly total: number; readonly doing: string };
  /** How many findings of each outcome there are; empty for a bench. */
  readonly counts: Readonly<Partial<Record<JobFinding['outcome'], number>>>;
  readonly problem: Problem | null;
}

/** A job as a whole. */
export interface Job extends JobHead {
  readonly findings: readonly JobFinding[];
  /** What `tiltyard bench --json` prints; null for others, and while it runs. */
  readonly report: JsonObject | null;
}

/** One requirement, and whether it is met. */
export interface JobFinding {
  /** `ors`, `oxp`, or `env` for the lint. */
  readonly protocol: string;
  readonly id: string;
  readonly group: string;
  readonly level: 'specified' | 'interop' | 'hardening';
  readonly requirement: string;
  readonly source: string;
  readonly outcome: 'pass' | 'fail' | 'warn' | 'known' | 'skip';
  readonly reason: string | null;
  readonly advice: string | null;
  /** What was sent and received; only of failures. */
  readonly exchanges: readonly JobExchange[];
}

/** A request of a check, and its answer. */
export interface JobExchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
  } | null;
  readonly error: string | null;
}
