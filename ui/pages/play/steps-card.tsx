import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { Play, Step } from '../../../src/studio/api.ts';
import { ask } from '../../data/ask.ts';
import { useAction } from '../../data/hooks.ts';
import { Card } from '../../parts/card.tsx';
import { Reward } from '../../parts/reward.tsx';
import { Failed } from '../../parts/states.tsx';
import { fromPlay } from '../../steps/shown-step.ts';
import { StepRow } from '../../steps/step-row.tsx';
import { branchFrom } from './subject.ts';
import { WireView } from './wire-view.tsx';

/** The steps of a play, with what each of them paid. */
export function StepsCard({
  play,
  selected,
  onSelect,
}: {
  readonly play: Play;
  readonly selected: number | undefined;
  readonly onSelect: (step: number) => void;
}): ReactElement {
  const [wireOf, setWireOf] = useState<ReadonlySet<number>>(new Set());
  const branch = useAction(branchFrom);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (selected !== undefined) list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const count = play.steps.length;
  const lastStatus = play.steps.at(-1)?.status;
  const known = useRef(count);
  const isNew = useRef(false);
  // What somebody has just done must not happen below the edge of the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step that ends is higher than one that runs.
  useEffect(() => {
    if (count > known.current) isNew.current = true;
    if (isNew.current) list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
    known.current = count;
  }, [count, lastStatus]);
  const toggleWire = (n: number) => {
    const next = new Set(wireOf);
    if (!next.delete(n)) next.add(n);
    setWireOf(next);
  };
  const total = (
    <span className="pill">
      total reward <Reward value={play.total} />
    </span>
  );
  return (
    <Card title="Steps" side={total} flush>
      {branch.error !== undefined && <Failed error={branch.error} />}
      {play.steps.length === 0 ? (
        <p className="none-yet">No steps yet.{play.tools.length > 0 && ' Choose a tool, and call it.'}</p>
      ) : (
        <ol className="steps" ref={list}>
          {play.steps.map((step) => (
            <StepRow
              key={step.n}
              step={fromPlay(step)}
              isSelected={step.n === selected}
              isBrief={step.n !== play.steps.length - 1}
              onSelect={() => onSelect(step.n)}
              acts={
                <StepActs
                  play={play.id}
                  step={step}
                  isWireOpen={wireOf.has(step.n)}
                  onWire={() => toggleWire(step.n)}
                  onBranch={() => branch.run(play.id, step.n + 1)}
                />
              }
            >
              {wireOf.has(step.n) && <WireView play={play.id} step={step.n} />}
            </StepRow>
          ))}
        </ol>
      )}
    </Card>
  );
}

interface StepActsProps {
  readonly play: string;
  readonly step: Step;
  readonly isWireOpen: boolean;
  readonly onWire: () => void;
  readonly onBranch: () => void;
}

function StepActs({ play, step, isWireOpen, onWire, onBranch }: StepActsProps): ReactElement {
  const cancel = useAction(() =>
    ask('POST /api/plays/:play/steps/:step/cancel', { path: { play, step: String(step.n) } }),
  );
  const name = `step ${step.n + 1}`;
  if (step.status === 'running')
    return (
      <button type="button" className="quiet" disabled={cancel.isRunning} onClick={cancel.run}>
        Cancel
      </button>
    );
  return (
    <>
      <button type="button" className="quiet" onClick={onBranch} aria-label={`Go on from here: after ${name}`}>
        Go on from here
      </button>
      <button
        type="button"
        className="quiet"
        aria-expanded={isWireOpen}
        onClick={onWire}
        aria-label={`Wire of ${name}`}
      >
        {isWireOpen ? 'hide wire' : 'wire'}
      </button>
    </>
  );
}
