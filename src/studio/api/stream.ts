import type { Job, JobFinding, JobHead } from './jobs.ts';
import type { FollowSnapshot, LiveSession, LiveSnapshot, LiveStep } from './live.ts';
import type { Play, PlayHead, Step } from './plays.ts';
import type { RunDetail, RunHead } from './runs.ts';
import type { Target } from './targets.ts';

/**
 * What happens: `GET /api/stream?topic=targets&topic=play/p1...`, server-sent events without names, whose data is a `StreamEvent`. Each
 * topic begins with its whole state, also after a reconnect, and goes on with changes. One stream for a page is enough, and best: a
 * browser opens only six connections. An unknown topic gives `gone`, and the others go on.
 */
export type Topic =
  | 'targets'
  | 'plays'
  | `play/${string}`
  | `live/${string}`
  /** `follow/<target>/<sid>` */
  | `follow/${string}/${string}`
  | 'runs'
  | `run/${string}`
  | 'jobs'
  | `job/${string}`;

/** One event of the stream. */
export type StreamEvent =
  | { readonly topic: string; readonly type: 'targets'; readonly targets: readonly Target[] }
  | { readonly topic: string; readonly type: 'plays'; readonly plays: readonly PlayHead[] }
  | { readonly topic: string; readonly type: 'play'; readonly play: Play }
  /** Of a play whose other steps stay as they are: a new step, or a changed one, with the play's new totals. */
  | { readonly topic: string; readonly type: 'step'; readonly step: Step; readonly head: PlayHead }
  | { readonly topic: string; readonly type: 'live'; readonly live: LiveSnapshot }
  /** What is new since the last one: at most ten times a second. `gone` are sessions to be taken out of the list. */
  | {
      readonly topic: string;
      readonly type: 'live_changes';
      readonly sessions: readonly LiveSession[];
      readonly gone: readonly string[];
      readonly dropped: number;
    }
  | { readonly topic: string; readonly type: 'follow'; readonly follow: FollowSnapshot }
  /** New steps, and those that have changed, by their ids. */
  | {
      readonly topic: string;
      readonly type: 'follow_changes';
      readonly session: LiveSession | null;
      readonly steps: readonly LiveStep[];
      readonly problem: FollowSnapshot['problem'];
    }
  | { readonly topic: string; readonly type: 'runs'; readonly runs: readonly RunHead[] }
  /** At most once a second while it is played; ask for the rows that are on the screen again. */
  | { readonly topic: string; readonly type: 'run'; readonly run: RunDetail }
  | { readonly topic: string; readonly type: 'jobs'; readonly jobs: readonly JobHead[] }
  | { readonly topic: string; readonly type: 'job'; readonly job: Job }
  | {
      readonly topic: string;
      readonly type: 'job_changes';
      readonly job: JobHead;
      readonly findings: readonly JobFinding[];
    }
  | { readonly topic: string; readonly type: 'gone' };
