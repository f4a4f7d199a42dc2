import type { ReactElement, ReactNode } from 'react';
import type { RunDetail } from '../../../src/studio/api.ts';
import { go, to } from '../../app/route.ts';
import {
  formatCount,
  formatMs,
  formatNumber,
  formatReward,
  formatShare,
  formatTime,
  formatUsd,
  plural,
} from '../../data/format.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { PageWait } from '../../parts/page-wait.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { Histogram } from './histogram.tsx';
import { agentOf, certaintyOf, signed, sizeOf, stopName } from './names.ts';
import { TasksCard } from './tasks-card.tsx';
import { useRun, useRuns } from './use-run.ts';

/** One run: what came of it, and its tasks. */
export function RunPage({ id }: { readonly id: string }): ReactElement {
  const { data: run, error, reload } = useRun(id);
  useTitle(run === undefined ? 'Run' : `${run.name} · Runs`);
  if (run === undefined)
    return <PageWait title="Run" within={{ name: 'Runs', address: to(['runs']) }} error={error} onRetry={reload} />;
  return (
    <>
      <div className="bar">
        <h1>{toSafeText(run.name)}</h1>
        <span className="pill">{toSafeText(`${run.identity.environment} / ${run.identity.split}`)}</span>
        <span className="pill">{toSafeText(agentOf(run))}</span>
        <span className="pill">{sizeOf(run)}</span>
        <span className="grow" />
        <CompareWith run={run} />
      </div>
      {run.isLive && <Progress run={run} />}
      <Tiles run={run} />
      <TasksCard run={run} />
      <div className="thirds">
        <Card title="Rewards" side={<span className="pill">episodes that count</span>}>
          <Histogram
            bins={run.rewards}
            format={(value) => formatReward(Math.round(value * 1000) / 1000)}
            label="Rewards of the episodes"
          />
        </Card>
        <Outcomes run={run} />
        <Card title="Time of an episode">
          <Histogram bins={run.times} format={formatMs} label="Times of the episodes" />
        </Card>
      </div>
      <About run={run} />
    </>
  );
}

function Tiles({ run }: { readonly run: RunDetail }): ReactElement {
  const { reward, coverage, episodes, steps, tokens, usd, ms, passAt } = run.summary;
  const best = passAt.at(-1);
  const unscored = episodes.planned - episodes.valid;
  const sum = tokens.input + tokens.output;
  const spent = tokens.estimated === true ? 'Tokens (estimated)' : 'Tokens';
  return (
    <div className="tiles">
      <Tile name="Mean reward" figure={reward === null ? 'none' : formatNumber(reward.mean)}>
        {reward === null ? '' : certaintyOf(reward)}
      </Tile>
      {best !== undefined && (
        <Tile name={`pass@${best.k}`} figure={best.value === null ? 'none' : formatNumber(best.value, 2)}>
          passes from {formatReward(run.pass)}
        </Tile>
      )}
      {run.change !== null && (
        <Tile name="Against the run before" figure={signed(run.change.difference)}>
          <a href={to(['runs', run.change.against, 'compare', run.id])}>
            {run.change.interval === null
              ? 'compare'
              : `${signed(run.change.interval.low)} to ${signed(run.change.interval.high)}`}
          </a>
        </Tile>
      )}
      <Tile name="Coverage" figure={formatShare(coverage)}>
        {unscored === 0 ? `all ${plural(episodes.planned, 'episode')}` : `${plural(unscored, 'episode')} not scored`}
      </Tile>
      <Tile name={sum === 0 ? 'Steps' : spent} figure={formatCount(sum === 0 ? steps : sum)}>
        {usd > 0 ? formatUsd(usd) : `${formatMs(ms)} in all`}
      </Tile>
    </div>
  );
}

function Tile({
  name,
  figure,
  children,
}: {
  readonly name: string;
  readonly figure: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className="tile">
      <span>{name}</span>
      <b>{figure}</b>
      <span>{children}</span>
    </div>
  );
}

function Progress({ run }: { readonly run: RunDetail }): ReactElement {
  const { planned, owed } = run.summary.episodes;
  const done = planned - owed;
  return (
    <div className="progress" role="status">
      <span>
        <i className="spinner" aria-hidden="true" /> Going: {formatCount(done)} of {plural(planned, 'episode')}
      </span>
      <progress value={done} max={Math.max(1, planned)} aria-label="Episodes played" />
    </div>
  );
}

function Outcomes({ run }: { readonly run: RunDetail }): ReactElement {
  const stops = Object.entries(run.summary.stops).sort(([, one], [, other]) => other - one);
  const most = Math.max(1, ...stops.map(([, count]) => count));
  return (
    <Card title="How episodes ended">
      {stops.length === 0 ? (
        <p className="soft">None has ended yet.</p>
      ) : (
        <ul className="outcomes">
          {stops.map(([stop, count]) => (
            <li key={stop}>
              <a href={to(['runs', run.id], { stop })}>{stopName(stop)}</a>
              <i aria-hidden="true">
                <i style={{ width: `${(count / most) * 100}%` }} className={stop === 'finished' ? 'good' : ''} />
              </i>
              <span className="num">{formatCount(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function CompareWith({ run }: { readonly run: RunDetail }): ReactElement | null {
  const { data = [] } = useRuns();
  const others = data.filter(
    (other) =>
      other.id !== run.id &&
      other.problem === null &&
      other.identity.environment === run.identity.environment &&
      other.identity.split === run.identity.split,
  );
  if (others.length === 0) return null;
  return (
    <select
      className="small-select"
      aria-label="Compare with another run"
      value=""
      onChange={({ target }) => target.value !== '' && go(to(['runs', target.value, 'compare', run.id]))}
    >
      <option value="">Compare with…</option>
      {others.map(({ id, name }) => (
        <option key={id} value={id}>
          {toSafeText(name)}
        </option>
      ))}
    </select>
  );
}

function About({ run }: { readonly run: RunDetail }): ReactElement {
  const { createdAt, target, folder, identity, selection, tags, versions, git } = run;
  return (
    <Card title="About this run">
      <dl className="facts">
        <dt>Begun</dt>
        <dd>{formatTime(createdAt)}</dd>
        <dt>Agent</dt>
        <dd className="mono">{toSafeText(agentOf(run))}</dd>
        <dt>Server</dt>
        <dd className="mono">{toSafeText(target)}</dd>
        <dt>Folder</dt>
        <dd className="mono">{toSafeText(folder)}</dd>
        {git !== null && (
          <>
            <dt>Commit</dt>
            <dd className="mono">
              {git.commit.slice(0, 12)}
              {git.isDirty && ' with changes'}
            </dd>
          </>
        )}
        <dt>Seed</dt>
        <dd className="mono">{identity.seed}</dd>
      </dl>
      <details>
        <summary>All settings</summary>
        <JsonTree value={JSON.parse(JSON.stringify({ identity, selection, tags, versions }))} open={2} />
      </details>
    </Card>
  );
}
