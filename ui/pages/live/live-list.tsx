import { memo, type ReactElement, useState } from 'react';
import type { LiveSession } from '../../../src/studio/api.ts';
import { go, to } from '../../app/route.ts';
import { formatMs } from '../../data/format.ts';
import { useNow } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Reward } from '../../parts/reward.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';

/** The sessions as a table of which only what is on the screen exists. */
export function LiveList({
  target,
  sessions,
  sid,
}: {
  readonly target: string;
  readonly sessions: readonly LiveSession[];
  readonly sid: string | undefined;
}): ReactElement {
  const now = useNow();
  const [active, setActive] = useState<number | undefined>();
  const open = (at: number) => {
    const session = sessions[at];
    if (session !== undefined) go(to(['live', target, session.sid]));
  };
  return (
    <>
      <div className="row head session" aria-hidden="true">
        <span>Environment</span>
        <span>Task</span>
        <span>State</span>
        <span className="num">Steps</span>
        <span>Last tool</span>
        <span className="num">Reward</span>
        <span className="num">Age</span>
      </div>
      <VirtualList
        count={sessions.length}
        rowHeight={34}
        label="Sessions"
        active={active}
        onActive={setActive}
        onOpen={open}
        render={(at) => {
          const session = sessions[at];
          return (
            session && (
              <Row
                key={session.sid}
                target={target}
                session={session}
                now={now}
                state={session.sid === sid ? 'open' : at === active ? 'active' : 'closed'}
              />
            )
          );
        }}
      />
    </>
  );
}

interface RowProps {
  readonly target: string;
  readonly session: LiveSession;
  readonly now: number;
  readonly state: 'closed' | 'active' | 'open';
}

/** Most sessions have not changed when some have: only those are drawn again. */
const Row = memo(function Row({ target, session, now, state }: RowProps): ReactElement {
  const { sid, environment, split, index, calls, lastTool, reward, startedAt } = session;
  return (
    <a
      className={`row session ${state}`}
      href={to(['live', target, sid])}
      aria-current={state === 'open' ? 'true' : undefined}
    >
      <b className="cut">{toSafeText(environment)}</b>
      <span className="soft cut">{split === null ? 'own task' : `${toSafeText(split)} ${index}`}</span>
      <State session={session} />
      <span className="num">{calls}</span>
      <span className="mono cut">{lastTool === null ? '' : toSafeText(lastTool)}</span>
      <span className="num">
        <Reward value={reward} />
      </span>
      <span className="num soft">{formatMs(Math.max(1, now - startedAt))}</span>
    </a>
  );
});

/** How a session stands: never by colour alone. */
export function State({ session }: { readonly session: LiveSession }): ReactElement {
  const { state, running, finished, outcome } = session;
  if (state === 'ended')
    return <span className={outcome === 'finished' ? 'tag good' : 'tag warn'}>{outcome ?? 'ended'}</span>;
  if (state === 'setup') return <span className="tag">setting up</span>;
  if (running > 0) return <span className="tag accent">running</span>;
  // Nobody is waited for, though its session was not deleted yet.
  return finished ? <span className="tag good">finished</span> : <span className="tag">waiting</span>;
}
