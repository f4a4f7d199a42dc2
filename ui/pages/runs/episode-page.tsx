import { type ReactElement, useEffect } from 'react';
import type { EpisodeDetail, RunDetail } from '../../../src/studio/api.ts';
import { useKeys } from '../../app/keys.ts';
import { go, goInstead, to, usePlace } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { formatMs, formatTokens, formatUsd } from '../../data/format.ts';
import { useAnswer } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { PageWait } from '../../parts/page-wait.tsx';
import { Reward } from '../../parts/reward.tsx';
import { Failed } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { RecordReader } from '../../reader/record-reader.tsx';
import { useEvents } from '../../reader/use-events.ts';
import { stopName } from './names.ts';
import { useRun } from './use-run.ts';

/** One episode of a run, to read. */
export function EpisodePage({ run: runId, episode }: { readonly run: string; readonly episode: string }): ReactElement {
  const { query } = usePlace();
  const attempt = query.get('attempt');
  const { data: run } = useRun(runId);
  const path = { run: runId, episode };
  const { data, error, isLoading, reload } = useAnswer('GET /api/runs/:run/episodes/:episode', {
    path,
    query: attempt === null ? {} : { attempt: Number(attempt) },
  });
  useTitle(`Episode ${episode} · ${run?.name ?? 'Run'}`);
  const isGoing = run?.isLive === true && data?.line === null;
  useEffect(() => {
    if (!isGoing) return;
    const timer = setInterval(reload, 1000);
    return () => clearInterval(timer);
  }, [isGoing, reload]);
  if (data === undefined)
    return (
      <PageWait
        title={`Episode ${episode}`}
        within={{ name: run?.name ?? 'Run', address: to(['runs', runId]) }}
        error={error}
        onRetry={reload}
      />
    );
  return (
    <Episode
      key={`${data.episode} ${data.attempt}`}
      run={run}
      runId={runId}
      detail={data}
      isStale={isLoading && !isGoing}
    />
  );
}

function Episode({
  run,
  runId,
  detail,
  isStale,
}: {
  readonly run: RunDetail | undefined;
  readonly runId: string;
  readonly detail: EpisodeDetail;
  readonly isStale: boolean;
}): ReactElement {
  const { query } = usePlace();
  const { episode, attempt, attempts, line, head, previous, next } = detail;
  const { events, hasMore, more, error } = useEvents(detail.events, (start) =>
    ask('GET /api/runs/:run/episodes/:episode/events', {
      path: { run: runId, episode: String(episode) },
      query: { attempt, start },
    }),
  );
  const open = (other: number | null) => other !== null && go(to(['runs', runId, 'episodes', other]));
  useKeys({ j: () => open(next), k: () => open(previous) });
  const task = line?.index ?? head?.index;
  const [at, text] = [query.get('event'), query.get('text')];
  return (
    <>
      <div className="bar">
        <nav className="crumbs" aria-label="Where this is">
          <a href={to(['runs'])}>Runs</a>
          <a href={to(['runs', runId])}>{toSafeText(run?.name ?? runId)}</a>
          {task !== undefined && <a href={to(['runs', runId], { text: `#${task}` })}>task {task}</a>}
        </nav>
        <h1>Episode {episode}</h1>
        {line !== null && <span className="pill">repeat {line.repeat + 1}</span>}
        <span className="grow" />
        <button type="button" disabled={previous === null} onClick={() => open(previous)}>
          Previous <kbd>K</kbd>
        </button>
        <button type="button" disabled={next === null} onClick={() => open(next)}>
          Next <kbd>J</kbd>
        </button>
      </div>
      {error !== undefined && <Failed error={error} />}
      <div className={isStale ? 'play stale' : 'play'}>
        <div className="column">
          <RecordReader
            events={events}
            hasMore={hasMore}
            onMore={more}
            at={at === null ? undefined : Number(at)}
            text={text ?? undefined}
          />
        </div>
        <aside className="column" aria-label="About the episode">
          <Facts
            detail={detail}
            onAttempt={(each) =>
              goInstead(
                to(['runs', runId, 'episodes', episode], { attempt: each === attempts.at(-1) ? undefined : each }),
              )
            }
          />
          {head?.task !== undefined && (
            <Card title="Task">
              <JsonTree value={head.task} open={2} />
            </Card>
          )}
        </aside>
      </div>
    </>
  );
}

function Facts({
  detail,
  onAttempt,
}: {
  readonly detail: EpisodeDetail;
  readonly onAttempt: (attempt: number) => void;
}): ReactElement {
  const { line, attempt, attempts, head } = detail;
  return (
    <Card
      title="Outcome"
      side={line === null ? <span className="tag accent">being played</span> : <Reward value={line.reward} />}
    >
      <dl className="facts">
        {line !== null && (
          <>
            <dt>Ended</dt>
            <dd>
              {stopName(line.stop)}
              {line.fault !== 'none' && ` (fault of the ${line.fault})`}
            </dd>
            <dt>Counts</dt>
            <dd>{line.reward === null ? 'no: not scored' : 'yes'}</dd>
            <dt>Steps</dt>
            <dd>{line.steps}</dd>
            <dt>Time</dt>
            <dd>{formatMs(line.ms)}</dd>
            {line.tokens.input + line.tokens.output > 0 && (
              <>
                <dt>Tokens</dt>
                <dd>{formatTokens(line.tokens)}</dd>
              </>
            )}
            {line.usd !== undefined && line.usd > 0 && (
              <>
                <dt>Cost</dt>
                <dd>{formatUsd(line.usd)}</dd>
              </>
            )}
          </>
        )}
        {head?.agent !== undefined && (
          <>
            <dt>Agent</dt>
            <dd>{toSafeText(head.agent)}</dd>
          </>
        )}
        {head?.seed !== undefined && (
          <>
            <dt>Seed</dt>
            <dd className="mono">{head.seed}</dd>
          </>
        )}
      </dl>
      {line?.detail !== undefined && <p className="detail">{toSafeText(line.detail)}</p>}
      {attempts.length > 1 && (
        <div className="chips" role="group" aria-label="Attempts">
          {attempts.map((each) => (
            <button key={each} type="button" aria-pressed={each === attempt} onClick={() => onAttempt(each)}>
              attempt {each}
            </button>
          ))}
        </div>
      )}
    </Card>
  );
}
