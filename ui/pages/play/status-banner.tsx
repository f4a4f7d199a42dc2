import type { ReactElement } from 'react';
import type { Play } from '../../../src/studio/api.ts';
import { formatMs, formatReward, plural } from '../../data/format.ts';
import { useAction } from '../../data/hooks.ts';
import { Failed, Notice } from '../../parts/states.tsx';
import { ProblemView } from '../../steps/problem-view.tsx';
import { branchFrom } from './subject.ts';

/** How the play stands, where that is more than "your turn". */
export function StatusBanner({ play }: { readonly play: Play }): ReactElement | null {
  const again = useAction(branchFrom);
  const { status, steps, total, problem, parent } = play;
  const summary = `reward ${formatReward(total)} in ${plural(steps.length, 'step')}`;
  const time = formatMs(steps.reduce((sum, { ms }) => sum + (ms ?? 0), 0));
  if (again.error !== undefined) return <Failed error={again.error} />;
  switch (status) {
    case 'replaying':
      return (
        <Notice tone="info">
          Playing the first {plural(parent?.keep ?? 0, 'call')} again: {steps.length} done.
        </Notice>
      );
    case 'finished':
      return (
        <div className="banner good" role="status">
          <span>
            <span aria-hidden="true">✓ </span>Finished · {summary}
          </span>
          <span>{time}</span>
        </div>
      );
    case 'ended':
      return (
        <div className="banner" role="status">
          <span>Ended by you · {summary}</span>
          <button type="button" disabled={again.isRunning} onClick={() => again.run(play.id, steps.length)}>
            Play it again up to here
          </button>
        </div>
      );
    case 'lost':
    case 'failed':
      return (
        <div className="banner bad" role="alert">
          <div>
            <b>{status === 'lost' ? 'The session is gone.' : 'The episode could not be started.'}</b>
            {problem !== null && <ProblemView problem={problem} />}
          </div>
          <button
            type="button"
            className="primary"
            disabled={again.isRunning}
            onClick={() => again.run(play.id, status === 'lost' ? steps.length : 0)}
          >
            {status === 'lost' && steps.length > 0 ? `Play its ${plural(steps.length, 'call')} again` : 'Try again'}
          </button>
        </div>
      );
    default:
      return null;
  }
}
