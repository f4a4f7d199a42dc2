import { type ReactElement, useState } from 'react';
import type { Job, JobFinding, StreamEvent } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { formatMs, formatTime } from '../../data/format.ts';
import { useAction, useTopic } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { PageAlone, PageWait } from '../../parts/page-wait.tsx';
import { Empty } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { ProblemView } from '../../steps/problem-view.tsx';
import { BenchReport } from './bench-report.tsx';
import { Finding } from './finding.tsx';
import { JobCounts, OUTCOMES, titleOf } from './job-counts.tsx';

/** One check or measurement, while it runs as well. */
export function JobPage({ id }: { readonly id: string }): ReactElement {
  const job = useTopic<Job | null>(`job/${id}`, reduceJob);
  useTitle(job ? titleOf(job) : 'Check');
  if (job === undefined) return <PageWait title="Check" />;
  if (job === null)
    return (
      <PageAlone title="Check">
        <Empty title="The studio does not know this check">
          <a href={to(['checks'])}>Start another</a>
        </Empty>
      </PageAlone>
    );
  return (
    <>
      <div className="bar">
        <nav className="crumbs" aria-label="Where this is">
          <a href={to(['checks'])}>Checks</a>
        </nav>
        <h1>{toSafeText(titleOf(job))}</h1>
        <span className="pill">{formatTime(job.startedAt)}</span>
        {job.endedAt !== null && job.target !== null && (
          <span className="pill">{formatMs(job.endedAt - job.startedAt)}</span>
        )}
        <span className="grow" />
        <JobCounts job={job} />
      </div>
      {job.status === 'running' && <Running job={job} />}
      {job.problem !== null && <ProblemView problem={job.problem} />}
      {job.report !== null && <BenchReport report={job.report} />}
      {job.kind !== 'bench' && <Findings job={job} />}
    </>
  );
}

/** A job after an event. */
function reduceJob(before: Job | null | undefined, event: StreamEvent): Job | null | undefined {
  if (event.type === 'gone') return null;
  if (event.type === 'job') return event.job;
  if (event.type !== 'job_changes' || !before) return before;
  return { ...before, ...event.job, findings: [...before.findings, ...event.findings] };
}

function Running({ job: { id, progress } }: { readonly job: Job }): ReactElement {
  const cancel = useAction(() => ask('POST /api/jobs/:job/cancel', { path: { job: id } }));
  return (
    <div className="progress" role="status">
      <span>
        <i className="spinner" aria-hidden="true" /> {toSafeText(progress.doing)}{' '}
        {progress.total > 0 && `${progress.done} of ${progress.total}`}
      </span>
      <progress
        {...(progress.total > 0 ? { value: progress.done, max: progress.total } : {})}
        aria-label="How far it is"
      />
      <button type="button" disabled={cancel.isRunning} onClick={cancel.run}>
        Stop
      </button>
    </div>
  );
}

function Findings({ job: { kind, findings, status } }: { readonly job: Job }): ReactElement {
  const [filter, setFilter] = useState<JobFinding['outcome'] | undefined>();
  const order = Object.keys(OUTCOMES);
  // A rule of the lint is tried on each environment.
  const isGrouped = kind === 'lint' && new Set(findings.map(({ group }) => group)).size > 1;
  const shown = findings
    .filter(({ outcome }) => filter === undefined || outcome === filter)
    .sort((one, other) => order.indexOf(one.outcome) - order.indexOf(other.outcome));
  const chips = (
    <div className="chips" role="group" aria-label="Which findings">
      <button type="button" aria-pressed={filter === undefined} onClick={() => setFilter(undefined)}>
        All <span className="count">{findings.length}</span>
      </button>
      {(Object.keys(OUTCOMES) as JobFinding['outcome'][]).map((outcome) => {
        const count = findings.filter((each) => each.outcome === outcome).length;
        return (
          count > 0 && (
            <button
              key={outcome}
              type="button"
              aria-pressed={filter === outcome}
              onClick={() => setFilter(filter === outcome ? undefined : outcome)}
            >
              {OUTCOMES[outcome].sign} {OUTCOMES[outcome].name} <span className="count">{count}</span>
            </button>
          )
        );
      })}
    </div>
  );
  return (
    <Card title="Findings" side={chips} flush>
      {shown.length === 0 && <p className="none-yet">{status === 'running' ? 'Nothing yet.' : 'There are none.'}</p>}
      <ul className="findings">
        {shown.map((finding) => (
          <Finding
            key={`${finding.protocol} ${finding.group} ${finding.id} ${finding.requirement}`}
            finding={finding}
            isGrouped={isGrouped}
          />
        ))}
      </ul>
    </Card>
  );
}
