import type { ReactElement } from 'react';
import type { ComparedRow, ReadableRun, RunComparison } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { formatNumber, plural } from '../../data/format.ts';
import { useAnswer } from '../../data/hooks.ts';
import { useRows } from '../../data/rows.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { PageWait } from '../../parts/page-wait.tsx';
import { Failed, Ghost, Loading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { Cells } from './cells.tsx';
import { agentOf, rangeOf, signed } from './names.ts';
import { Scatter } from './scatter.tsx';

/** Two runs of the same tasks. */
export function ComparePage({ first, second }: { readonly first: string; readonly second: string }): ReactElement {
  const { data, error, reload } = useAnswer('GET /api/runs/:run/compare/:other', {
    path: { run: first, other: second },
  });
  useTitle('Compare runs');
  if (data === undefined)
    return (
      <PageWait title="Compare runs" within={{ name: 'Runs', address: to(['runs']) }} error={error} onRetry={reload} />
    );
  return <Compared compared={data} />;
}

function Compared({ compared }: { readonly compared: RunComparison }): ReactElement {
  const { first, second, points } = compared;
  return (
    <>
      <div className="bar">
        <nav className="crumbs" aria-label="Where this is">
          <a href={to(['runs'])}>Runs</a>
        </nav>
        <h1>
          {toSafeText(first.name)} <span className="soft">against</span> {toSafeText(second.name)}
        </h1>
        <span className="grow" />
        <a href={to(['runs', second.id, 'compare', first.id])}>Swap them</a>
      </div>
      <Verdict compared={compared} />
      <div className="compare-runs">
        <Card title="Tasks" className="scatter-card">
          <Scatter points={points} names={[first.name, second.name]} />
        </Card>
        <Differences compared={compared} />
      </div>
    </>
  );
}

function Verdict({ compared }: { readonly compared: RunComparison }): ReactElement {
  const { first, second, difference, interval, wins, losses, ties, tasks, leftOut, mcNemar } = compared;
  const isSure = interval !== null && (interval.low > 0 || interval.high < 0);
  const words = isSure ? `the second is ${difference > 0 ? 'better' : 'worse'}` : 'within chance';
  return (
    <div className="tiles">
      <div className="tile">
        <span>Difference of the means</span>
        <b>{signed(difference)}</b>
        <span>
          {interval === null
            ? 'too few tasks for an interval'
            : `${signed(interval.low)} to ${signed(interval.high)} (95 %): ${words}`}
        </span>
      </div>
      {[first, second].map((run) => (
        <Side key={run.id} run={run} />
      ))}
      <div className="tile">
        <span>Better · worse · the same</span>
        <b>
          {wins} · {losses} · {ties}
        </b>
        <span>
          of {plural(tasks, 'task')}
          {leftOut > 0 && `, ${leftOut} left out`}
          {mcNemar !== null && `, p = ${mcNemar.toPrecision(2)}`}
        </span>
      </div>
    </div>
  );
}

function Side({ run }: { readonly run: ReadableRun }): ReactElement {
  const reward = run.summary.reward;
  return (
    <div className="tile">
      <span>
        <a href={to(['runs', run.id])}>{toSafeText(run.name)}</a>
      </span>
      <b>{reward ? formatNumber(reward.mean) : 'none'}</b>
      <span>
        {rangeOf(reward?.interval)} {toSafeText(agentOf(run))}
      </span>
    </div>
  );
}

function Differences({ compared: { first, second } }: { readonly compared: RunComparison }): ReactElement {
  const rows = useRows<ComparedRow>(`${first.id} ${second.id}`, async (start, stop, signal) => {
    const table = await ask('GET /api/runs/:run/compare/:other/tasks', {
      path: { run: first.id, other: second.id },
      query: { start, stop },
      signal,
    });
    return { rows: table.rows.slice(start - table.start, stop - table.start), total: table.total };
  });
  const { data: { pass } = { pass: 1 } } = useAnswer('GET /api/runs/:run', { path: { run: first.id } });
  return (
    <Card
      title="What differs"
      side={rows.total !== undefined && <span className="pill">{plural(rows.total, 'task')}</span>}
      flush
    >
      {rows.error !== undefined && <Failed error={rows.error} onRetry={rows.reload} />}
      {rows.total === undefined && rows.error === undefined && <Loading lines={6} />}
      {rows.total === 0 && <p className="none-yet">Every task has the same mean in both runs.</p>}
      {rows.total !== undefined && rows.total > 0 && (
        <>
          <div className="row head compared-task" aria-hidden="true">
            <span>#</span>
            <span>{toSafeText(first.name)}</span>
            <span>{toSafeText(second.name)}</span>
            <span className="num">Means</span>
            <span className="num">Difference</span>
          </div>
          <VirtualList
            count={rows.total}
            rowHeight={34}
            label="Tasks that differ"
            onVisible={rows.see}
            render={(at) => <Row key={at} row={rows.row(at)} runs={[first.id, second.id]} pass={pass} />}
          />
        </>
      )}
    </Card>
  );
}

function Row({
  row,
  runs: [first, second],
  pass,
}: {
  readonly row: ComparedRow | undefined;
  readonly runs: readonly [string, string];
  readonly pass: number;
}): ReactElement {
  if (row === undefined)
    return (
      <div className="row compared-task">
        <Ghost />
      </div>
    );
  const difference = row.second - row.first;
  return (
    <div className="row compared-task">
      <span className="mono">{row.index}</span>
      <Cells run={first} cells={row.firstCells} pass={pass} />
      <Cells run={second} cells={row.secondCells} pass={pass} />
      <span className="num soft">
        {formatNumber(row.first, 2)} → {formatNumber(row.second, 2)}
      </span>
      <b className={`num ${difference > 0 ? 'good' : 'bad'}`}>{signed(Math.round(difference * 1000) / 1000)}</b>
    </div>
  );
}
