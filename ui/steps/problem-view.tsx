import type { ReactElement } from 'react';
import type { Problem, ProblemKind } from '../../src/studio/api.ts';
import { toSafeText } from '../data/safe-text.ts';
import { LongText } from '../parts/long-text.tsx';

const CLASSES: Readonly<Record<ProblemKind, { readonly name: string; readonly advice: string }>> = {
  refused: { name: 'refused', advice: 'The call was not run. Change its tool or its input, and send it again.' },
  tool: { name: 'tool error', advice: 'The tool reported this to the model. The episode goes on.' },
  environment: { name: 'environment error', advice: 'The code of the environment failed. See the log of its server.' },
  session: { name: 'session gone', advice: 'The session is over. Play it again from any step.' },
  auth: {
    name: 'key refused',
    advice: 'Set TILTYARD_API_KEY before you start the studio, or add the server with its key.',
  },
  server: { name: 'server error', advice: 'The server did not answer as it should. See its log.' },
  cancelled: { name: 'cancelled', advice: 'You stopped waiting. The tool may have run all the same.' },
  request: { name: 'not possible', advice: 'Change the request, and send it again.' },
};

/** A failure: of which class, what was said, and what to do. */
export function ProblemView({
  problem,
}: {
  readonly problem: Pick<Problem, 'kind' | 'message' | 'whole' | 'advice'>;
}): ReactElement {
  const { name, advice } = CLASSES[problem.kind];
  return (
    <div className={`problem ${problem.kind}`}>
      <span className="pill bad">
        <span aria-hidden="true">✕ </span>
        {name}
      </span>
      <LongText text={problem.message} className="plain" />
      {problem.whole !== undefined && (
        <details>
          <summary>Whole stack</summary>
          <LongText text={problem.whole} />
        </details>
      )}
      <p className="soft">{problem.advice === null ? advice : toSafeText(problem.advice)}</p>
    </div>
  );
}
