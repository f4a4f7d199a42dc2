import { type ReactElement, useMemo, useState } from 'react';
import type { LiveSession, LiveSnapshot, Target } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { useStudio } from '../../app/studio.ts';
import { formatCount, plural } from '../../data/format.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { Empty, Loading, Notice } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { Followed, Trouble } from './followed.tsx';
import { LiveList } from './live-list.tsx';
import { type LiveState, useLive } from './use-live.ts';

/** Every session on a server now, whoever plays it. */
export function LivePage({
  target: id,
  sid,
}: {
  readonly target: string | undefined;
  readonly sid: string | undefined;
}): ReactElement {
  const { targets } = useStudio();
  const target = targets.find((each) => each.id === id) ?? (id === undefined ? targets[0] : undefined);
  const live = useLive(target?.id ?? null);
  useTitle('Live');
  return (
    <>
      <div className="bar">
        <h1>Live</h1>
        {live?.status === 'on' && <Counts live={live} />}
      </div>
      {targets.length > 1 && (
        <nav className="subnav" aria-label="Servers">
          {targets.map((each) => (
            <a key={each.id} href={to(['live', each.id])} aria-current={each.id === target?.id ? 'true' : undefined}>
              <i className={`dot ${each.status}`} aria-hidden="true" />
              {toSafeText(each.name)}
            </a>
          ))}
        </nav>
      )}
      {target === undefined ? (
        <Empty title="There is no server to watch">
          <p>
            Add one on the page <a href={to(['environments'])}>Environments</a>.
          </p>
        </Empty>
      ) : (
        <Watched target={target} live={live} sid={sid} />
      )}
    </>
  );
}

function Counts({ live: { sessions, dropped } }: { readonly live: LiveState }): ReactElement {
  const all = [...sessions.values()];
  const open = all.filter(({ state }) => state !== 'ended').length;
  return (
    <>
      <span className="pill">{formatCount(open)} open</span>
      <span className="pill">{formatCount(all.reduce((sum, { running }) => sum + running, 0))} calls running</span>
      {dropped > 0 && <span className="pill warn">! {plural(dropped, 'event')} left out: too many at once</span>}
    </>
  );
}

function Watched({
  target,
  live,
  sid,
}: {
  readonly target: Target;
  readonly live: LiveState | undefined;
  readonly sid: string | undefined;
}): ReactElement {
  if (live === undefined || (live.status === 'connecting' && live.sessions.size === 0))
    return <Loading lines={8} label="Connecting" />;
  if (live.status === 'off' || live.status === 'foreign' || live.status === 'forbidden')
    return <NotLive status={live.status} target={target} />;
  return (
    <>
      {live.problem !== null && <Trouble problem={live.problem} />}
      {live.status === 'lost' && live.problem === null && (
        <Notice tone="warn">
          <b>The server is away.</b> This is what was known last. The studio goes on looking for it.
        </Notice>
      )}
      <div className={sid === undefined ? 'live' : 'live following'}>
        <Sessions target={target.id} sessions={live.sessions} sid={sid} />
        {sid !== undefined && <Followed key={sid} target={target.id} sid={sid} />}
      </div>
    </>
  );
}

function Sessions({
  target,
  sessions,
  sid,
}: {
  readonly target: string;
  readonly sessions: ReadonlyMap<string, LiveSession>;
  readonly sid: string | undefined;
}): ReactElement {
  const [text, setText] = useState('');
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const all = [...sessions.values()].reverse();
    return wanted === ''
      ? all
      : all.filter((each) =>
          `${each.environment} ${each.sid} ${each.identity} ${each.lastTool} ${each.split} ${each.index}`
            .toLowerCase()
            .includes(wanted),
        );
  }, [sessions, text]);
  const search = (
    <input
      type="search"
      className="search"
      aria-label="Search the sessions"
      placeholder="Environment, tool, id"
      value={text}
      onChange={({ target: { value } }) => setText(value)}
    />
  );
  return (
    <Card title="Sessions" side={search} flush>
      {sessions.size === 0 ? (
        <Empty title="Nobody plays now">
          <p>Sessions appear here as soon as a trainer, an agent or you begin one.</p>
        </Empty>
      ) : (
        <LiveList target={target} sessions={shown} sid={sid} />
      )}
    </Card>
  );
}

function NotLive({
  status,
  target,
}: {
  readonly status: LiveSnapshot['status'];
  readonly target: Target;
}): ReactElement {
  if (status === 'foreign')
    return (
      <Empty title="This server does not tell what happens on it">
        <p>
          Only tiltyard servers have an event stream, and {toSafeText(target.name)} is another one. You can still{' '}
          <a href={to(['play'], { target: target.id })}>play on it</a>, and read runs against it.
        </p>
      </Empty>
    );
  if (status === 'forbidden')
    return (
      <Empty title="This key may not watch other people's sessions">
        <p>Watching needs a key with the scope of an orchestrator.</p>
      </Empty>
    );
  return (
    <Empty title="The event stream of this server is off">
      <p>
        Start the server with it: <code>tiltyard serve … --events</code>. <code>tiltyard dev</code> always has it.
      </p>
    </Empty>
  );
}
