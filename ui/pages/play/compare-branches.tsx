import { type ReactElement, useState } from 'react';
import type { Play, Step } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { plural } from '../../data/format.ts';
import { Card } from '../../parts/card.tsx';
import { Reward } from '../../parts/reward.tsx';
import { fromPlay } from '../../steps/shown-step.ts';
import { StepRow } from '../../steps/step-row.tsx';
import { alignSteps, type StepPair } from './align-steps.ts';

/** Two branches side by side, step by step. */
export function CompareBranches({ first, second }: { readonly first: Play; readonly second: Play }): ReactElement {
  const [isShort, setShort] = useState(false);
  const pairs = alignSteps(first.steps, second.steps);
  const different = pairs.filter(({ difference }) => difference !== 'none');
  const shown = isShort ? different : pairs;
  const side = (
    <>
      <label className="check">
        <input type="checkbox" checked={isShort} onChange={({ target }) => setShort(target.checked)} />
        only what differs
      </label>
      <a href={to(['play', first.id])}>Stop comparing</a>
    </>
  );
  return (
    <Card title={`Comparing ${first.id} with ${second.id}`} side={side} flush>
      <div className="compare-head">
        {[first, second].map((play) => (
          <div key={play.id}>
            <b>{play.id}</b> <span className="soft">{plural(play.steps.length, 'step')}</span>{' '}
            <Reward value={play.total} />
          </div>
        ))}
      </div>
      {shown.length === 0 && (
        <p className="none-yet">
          {pairs.length === 0 ? 'Neither has any steps.' : `All ${plural(pairs.length, 'step')} are the same.`}
        </p>
      )}
      <ol className="pairs">
        {shown.map((pair) => (
          <Pair key={pair.number} pair={pair} />
        ))}
      </ol>
    </Card>
  );
}

const WORDS: Readonly<Record<StepPair['difference'], string>> = {
  none: 'same',
  call: 'another call',
  result: 'the same call, another result',
  missing: 'only in one',
};

function Pair({ pair: { first, second, difference, number } }: { readonly pair: StepPair }): ReactElement {
  return (
    <li className={difference === 'none' ? 'pair' : 'pair differs'}>
      <div className="verdict">
        <span>Step {number}</span>
        <span>
          <span aria-hidden="true">{difference === 'none' ? '= ' : '≠ '}</span>
          {WORDS[difference]}
        </span>
      </div>
      <Half step={first} />
      <Half step={second} />
    </li>
  );
}

function Half({ step }: { readonly step: Step | undefined }): ReactElement {
  if (step === undefined) return <p className="half none-yet">no such step</p>;
  return (
    <ol className="half steps">
      <StepRow step={fromPlay(step)} />
    </ol>
  );
}
