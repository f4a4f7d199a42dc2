import { type ReactElement, useMemo } from 'react';
import type { Problem } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { plural } from '../../data/format.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Reward } from '../../parts/reward.tsx';
import { Empty, Loading, Notice } from '../../parts/states.tsx';
import { RewardChart } from '../../steps/reward-chart.tsx';
import { fromLive } from '../../steps/shown-step.ts';
import { StepRow } from '../../steps/step-row.tsx';
import { State } from './live-list.tsx';
import { useFollowed } from './use-live.ts';

// The newest are what somebody who follows looks at; the older ones are in records.
const SHOWN = 200;

/** One session, step by step, as it happens. */
export function Followed({ target, sid }: { readonly target: string; readonly sid: string }): ReactElement {
  const followed = useFollowed(target, sid);
  const steps = useMemo(() => (followed?.steps ?? []).map(fromLive), [followed]);
  if (followed === undefined) return <Loading lines={6} label="Following the session" />;
  const { session, problem } = followed;
  if (session === null)
    return (
      <Empty title="This session is over">
        <p>
          It ended before you came, or the server has forgotten it. <a href={to(['live', target])}>Back to the list</a>
        </p>
      </Empty>
    );
  const side = (
    <>
      <State session={session} />
      <span className="pill">
        reward <Reward value={session.reward} />
      </span>
      <a href={to(['live', target])}>Close</a>
    </>
  );
  return (
    <div className="column">
      {problem !== null && <Trouble problem={problem} />}
      <Card
        title={`${toSafeText(session.environment)} · ${session.split === null ? 'own task' : `${toSafeText(session.split)} ${session.index}`}`}
        side={side}
      >
        <p className="soft small">
          session <code>{toSafeText(sid)}</code> <CopyButton text={sid} />{' '}
          {session.identity !== '' && <>· by {toSafeText(session.identity)}</>}
        </p>
        {steps.length > 1 && <RewardChart steps={steps} />}
      </Card>
      <Card title="Steps" side={<span className="pill">{plural(steps.length, 'step')}</span>} flush>
        {steps.length === 0 && <p className="none-yet">{nothingYet(session.calls)}</p>}
        <ol className="steps" aria-live="off">
          {steps
            .slice(-SHOWN)
            .reverse()
            .map((step) => (
              <StepRow key={step.key} step={step} />
            ))}
        </ol>
        {steps.length > SHOWN && (
          <p className="none-yet">
            The newest {SHOWN} of {steps.length} steps.
          </p>
        )}
      </Card>
    </div>
  );
}

/** Why a server's events are not shown, or not all of them. */
export function Trouble({ problem: { message, advice } }: { readonly problem: Problem }): ReactElement {
  return (
    <Notice tone="warn">
      <b>{toSafeText(message)}.</b> {advice}
    </Notice>
  );
}

function nothingYet(calls: number): string {
  if (calls === 0) return 'No calls yet. They appear here as they are made.';
  return `${plural(calls, 'call')} came before you. What is called from now on appears here.`;
}
