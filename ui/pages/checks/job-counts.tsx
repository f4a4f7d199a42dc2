import type { ReactElement } from 'react';
import type { JobFinding, JobHead } from '../../../src/studio/api.ts';

/** Signs and words of outcomes: colour never stands alone. */
export const OUTCOMES: Readonly<
  Record<JobFinding['outcome'], { readonly sign: string; readonly name: string; readonly tone: string }>
> = {
  fail: { sign: '✕', name: 'failed', tone: 'bad' },
  warn: { sign: '!', name: 'warned', tone: 'warn' },
  known: { sign: '~', name: 'known', tone: '' },
  skip: { sign: '–', name: 'skipped', tone: '' },
  pass: { sign: '✓', name: 'passed', tone: 'good' },
};

/** What a job does, and to which server. */
export function titleOf({ kind, title }: JobHead): string {
  return `${{ check: 'Referee', lint: 'Lint', bench: 'Bench' }[kind]}: ${title.replace(/^https?:\/\//, '')}`;
}

/** How a job stands. */
export function JobCounts({ job: { counts, status } }: { readonly job: JobHead }): ReactElement {
  return (
    <span className="bar end">
      {status !== 'done' && <span className={status === 'running' ? 'tag accent' : 'tag warn'}>{status}</span>}
      {(Object.keys(OUTCOMES) as JobFinding['outcome'][]).map((outcome) => {
        const { sign, name, tone } = OUTCOMES[outcome];
        const count = counts[outcome] ?? 0;
        return (
          count > 0 && (
            <span key={outcome} className={`tag ${tone}`}>
              {sign} {count} {name}
            </span>
          )
        );
      })}
    </span>
  );
}
