import type { ReactElement } from 'react';
import type { Play, Problem } from '../../../src/studio/api.ts';
import { go } from '../../app/route.ts';
import { formatMs, formatReward, plural } from '../../data/format.ts';
import { useAction } from '../../data/hooks.ts';
import { Failed, Notice } from '../../parts/states.tsx';
import { ProblemView } from '../../steps/problem-view.tsx';
import { branchFrom, formOf } from './subject.ts';

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
      return (
        <div className="banner bad" role="alert">
          <div>
            <b>The session is gone.</b>
            {problem !== null && <ProblemView problem={problem} />}
          </div>
          <button
            type="button"
            className="primary"
            disabled={again.isRunning}
            onClick={() => again.run(play.id, steps.length)}
          >
            {steps.length > 0 ? `Play its ${plural(steps.length, 'call')} again` : 'Try again'}
          </button>
        </div>
      );
    case 'failed':
      return (
        <div className="banner bad" role="alert">
          <div>
            <b>The episode could not be started.</b>
            {problem !== null && <ProblemView problem={{ ...problem, advice: problem.advice ?? adviceFor(problem) }} />}
          </div>
          <StartAgain play={play} isRunning={again.isRunning} onAgain={() => again.run(play.id, 0)} />
        </div>
      );
    default:
      return null;
  }
}

// What is said of a call that was refused does not fit a start.
function adviceFor({ kind }: Problem): string | null {
  return kind === 'refused' ? 'Change the task or the secrets, and start again.' : null;
}

interface StartAgainProps {
  readonly play: Play;
  readonly isRunning: boolean;
  readonly onAgain: () => void;
}

/** The way on after a start that failed: what was refused would be refused again, and is changed in the form. */
function StartAgain({ play, isRunning, onAgain }: StartAgainProps): ReactElement {
  const { code = null, kind } = play.problem ?? {};
  if (kind === 'refused')
    return (
      <button type="button" className="primary" onClick={() => go(formOf(play))}>
        {code === 'missing_secrets' ? 'Enter the secrets' : 'Change the episode'}
      </button>
    );
  return (
    <button type="button" className="primary" disabled={isRunning} onClick={onAgain}>
      Try again
    </button>
  );
}
