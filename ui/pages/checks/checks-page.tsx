import { type ReactElement, useState } from 'react';
import type { JobHead, NewJob, Target } from '../../../src/studio/api.ts';
import { go, to } from '../../app/route.ts';
import { useStudio } from '../../app/studio.ts';
import { ask } from '../../data/ask.ts';
import { formatTime } from '../../data/format.ts';
import { useAction } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { JobCounts, titleOf } from './job-counts.tsx';

const KINDS: readonly {
  readonly kind: NewJob['kind'];
  readonly name: string;
  readonly about: string;
  readonly active: string | undefined;
}[] = [
  {
    kind: 'check',
    name: 'Referee',
    about:
      'Does the server keep to the protocols that it speaks? Each requirement is tried, with what was sent and received.',
    active: 'Also call tools',
  },
  {
    kind: 'lint',
    name: 'Lint',
    about: 'Would anything in its environments spoil training? Rewards, splits, tasks and tools are looked at.',
    active: 'Also play episodes',
  },
  {
    kind: 'bench',
    name: 'Bench',
    about: 'How many calls a second, and how fast? Five seconds, sixteen connections.',
    active: undefined,
  },
];

/** Checks of a server, and measurements of it. */
export function ChecksPage(): ReactElement {
  const { targets, jobs } = useStudio();
  const [chosen, setChosen] = useState<string | undefined>();
  const target = targets.find(({ id }) => id === chosen) ?? targets[0];
  useTitle('Checks');
  return (
    <>
      <div className="bar">
        <h1>Checks and bench</h1>
        <span className="grow" />
        {targets.length > 1 && (
          <select
            className="small-select"
            aria-label="Server"
            value={target?.id}
            onChange={({ target: { value } }) => setChosen(value)}
          >
            {targets.map(({ id, name }) => (
              <option key={id} value={id}>
                {toSafeText(name)}
              </option>
            ))}
          </select>
        )}
      </div>
      {target === undefined && jobs.length === 0 && (
        <Empty title="There is no server to check">
          <p>
            Add one on the page <a href={to(['environments'])}>Environments</a>.
          </p>
        </Empty>
      )}
      {target !== undefined && (
        <div className="thirds">
          {KINDS.map(({ kind, name, about, active }) => (
            <Start key={kind} kind={kind} name={name} about={about} active={active} target={target} />
          ))}
        </div>
      )}
      {jobs.length > 0 && <Jobs jobs={jobs} />}
    </>
  );
}

interface StartProps {
  readonly kind: NewJob['kind'];
  readonly name: string;
  readonly about: string;
  /** What more it may do if one lets it. */
  readonly active: string | undefined;
  readonly target: Target;
}

function Start({ kind, name, about, active, target }: StartProps): ReactElement {
  const [isActive, setActive] = useState(false);
  const start = useAction(async () => {
    const { id } = await ask('POST /api/jobs', {
      body: { kind, target: target.id, ...(active !== undefined && isActive ? { active: true } : {}) } as NewJob,
    });
    go(to(['checks', id]));
  });
  return (
    <Card title={name} className="start">
      <p className="soft">{about}</p>
      {active !== undefined && (
        <label className="check">
          <input type="checkbox" checked={isActive} onChange={({ target: { checked } }) => setActive(checked)} />
          {active}
        </label>
      )}
      {start.error !== undefined && <Failed error={start.error} />}
      <button
        type="button"
        className="primary"
        disabled={start.isRunning || target.status !== 'up'}
        onClick={start.run}
        aria-label={`Start: ${name}`}
      >
        Start
      </button>
    </Card>
  );
}

function Jobs({ jobs }: { readonly jobs: readonly JobHead[] }): ReactElement {
  return (
    <Card title="Done before" flush>
      <ul className="plays">
        {[...jobs].reverse().map((job) => (
          <li key={job.id}>
            <a href={to(['checks', job.id])}>
              <b>{toSafeText(titleOf(job))}</b> <span className="soft">{formatTime(job.startedAt)}</span>
            </a>
            <JobCounts job={job} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
