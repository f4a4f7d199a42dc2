import { type ReactElement, useState } from 'react';
import type { ReadableRun, RunChange, RunHead, UnreadableRun } from '../../../src/studio/api.ts';
import { go, to } from '../../app/route.ts';
import { formatNumber, formatShare, formatTime } from '../../data/format.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { Scroller } from '../../parts/scroller.tsx';
import { ShortName } from '../../parts/short-name.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { agentOf, boundsOf, costOf, signed, sizeOf } from './names.ts';
import { useRuns } from './use-run.ts';

/** All runs, the newest first. */
export function RunsPage(): ReactElement {
  const { data, error, reload } = useRuns();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useTitle('Runs');
  const toggle = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id].slice(-2));
  const [first, second] = chosen;
  return (
    <>
      <div className="bar">
        <h1>Runs</h1>
        <span className="grow" />
        {(data?.length ?? 0) > 1 && (
          <button
            type="button"
            disabled={second === undefined}
            onClick={() => first !== undefined && second !== undefined && go(to(['runs', first, 'compare', second]))}
          >
            {second === undefined ? 'Choose two to compare' : 'Compare the two'}
          </button>
        )}
      </div>
      {error !== undefined && <Failed error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Loading lines={8} label="Loading the runs" />}
      {data?.length === 0 && (
        <Empty title="No runs yet">
          <p>
            Play an agent on tasks with <code>tiltyard run</code>, then open the folder it wrote:{' '}
            <code>tiltyard studio runs/…</code>
          </p>
        </Empty>
      )}
      {data !== undefined && data.length > 0 && <RunsTable runs={data} chosen={chosen} onToggle={toggle} />}
    </>
  );
}

function RunsTable({
  runs,
  chosen,
  onToggle,
}: {
  readonly runs: readonly RunHead[];
  readonly chosen: readonly string[];
  readonly onToggle: (id: string) => void;
}): ReactElement {
  const canCompare = runs.length > 1;
  const hasCost = runs.some((run) => run.problem === null && costOf(run) !== '');
  return (
    <Card title={`${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`} flush>
      <Scroller className="wide-table" label="Table of the runs">
        <table>
          <thead>
            <tr>
              {canCompare && (
                <th className="choice">
                  <span className="said">Compare</span>
                </th>
              )}
              <th className="run">Run</th>
              <th className="roomy">Environment</th>
              <th className="roomy">Agent</th>
              <th className="num mean">
                Mean reward <span className="sub">95 % interval</span>
              </th>
              <th className="num pass">pass@k</th>
              <th className="num share">Coverage</th>
              {hasCost && <th className="num cost">Cost</th>}
              <th className="num change">Against the run before</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.id}>
                {canCompare && (
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Compare ${run.name}`}
                      checked={chosen.includes(run.id)}
                      onChange={() => onToggle(run.id)}
                    />
                  </td>
                )}
                <td>
                  <a href={to(['runs', run.id])}>
                    <b>
                      <ShortName name={run.name} />
                    </b>
                  </a>
                  {run.problem === null && <When run={run} />}
                </td>
                {run.problem === null ? (
                  <Figures run={run} hasCost={hasCost} />
                ) : (
                  <WhyNot run={run} columns={hasCost ? 5 : 4} />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </Card>
  );
}

function When({ run: { isLive, createdAt } }: { readonly run: ReadableRun }): ReactElement {
  return (
    <>
      {isLive && <span className="tag accent">going</span>}
      <span className="sub">{formatTime(createdAt)}</span>
    </>
  );
}

/** In the place of the figures; columns that small screens leave out stay empty. */
function WhyNot({ run, columns }: { readonly run: UnreadableRun; readonly columns: number }): ReactElement {
  return (
    <>
      <td className="roomy" />
      <td className="roomy" />
      <td colSpan={columns} className="bad">
        ✕ {toSafeText(run.problem.message)}
      </td>
    </>
  );
}

function Figures({ run, hasCost }: { readonly run: ReadableRun; readonly hasCost: boolean }): ReactElement {
  const { identity, summary } = run;
  const { reward, passAt, coverage } = summary;
  const best = passAt.at(-1);
  return (
    <>
      <td className="roomy">
        <ShortName name={identity.environment} />
        <ShortName className="sub" name={`${identity.split} · ${sizeOf(run)}`} />
      </td>
      <td className="roomy">
        <ShortName className="two-lines" name={agentOf(run)} />
      </td>
      <td className="num">
        <b>{reward === null ? 'none' : formatNumber(reward.mean)}</b>
        <span className="sub">{boundsOf(reward?.interval)}</span>
      </td>
      <td className="num">
        {best?.value == null ? '' : formatNumber(best.value, 2)}
        {best !== undefined && <span className="sub">k = {best.k}</span>}
      </td>
      <td className="num">{formatShare(coverage)}</td>
      {hasCost && <td className="num">{costOf(run)}</td>}
      <td className="num">{run.change !== null && <Change change={run.change} />}</td>
    </>
  );
}

/** How the mean changed; in words where the interval does not let one say. */
function Change({ change: { difference, interval } }: { readonly change: RunChange }): ReactElement {
  const isSure = interval !== null && (interval.low > 0 || interval.high < 0);
  const tone = isSure ? (difference > 0 ? 'good' : 'bad') : 'soft';
  return (
    <span className={tone}>
      {isSure && <span aria-hidden="true">{difference > 0 ? '▲ ' : '▼ '}</span>}
      {signed(difference)}
      <span className="sub">{isSure ? 'clear' : interval === null ? '' : 'within chance'}</span>
    </span>
  );
}
