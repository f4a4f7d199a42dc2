import { type ReactElement, type ReactNode, useState } from 'react';
import { formatMs } from '../data/format.ts';
import { useNow } from '../data/hooks.ts';
import { Blocks } from '../parts/blocks.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Reward } from '../parts/reward.tsx';
import { CallText, isCut } from './call-text.tsx';
import { Divergences } from './divergences.tsx';
import { ProblemView } from './problem-view.tsx';
import type { ShownStep } from './shown-step.ts';

/** One step: the call, what came of it, and what it paid. */
export function StepRow({ step, isSelected, isBrief, onSelect, acts, children }: StepRowProps): ReactElement {
  const { number, tool, input, status, blocks, reward, finished, metadata, problem, divergences = [], isReplay } = step;
  const [isInputOpen, openInput] = useState(false);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys J and K choose steps, and every action is a button.
    <li
      className={isSelected ? 'step selected' : isBrief ? 'step brief' : 'step'}
      aria-current={isSelected ? 'step' : undefined}
      onClick={onSelect}
    >
      <span className="number">
        <span className="said">Step </span>
        {number}
      </span>
      <div className="what">
        <CallText tool={tool} input={input} />
        {isReplay && <span className="tag">played again</span>}
        {input !== undefined && isCut(input) && (
          <button type="button" className="quiet" aria-expanded={isInputOpen} onClick={() => openInput(!isInputOpen)}>
            {isInputOpen ? 'Hide the input' : 'Whole input'}
          </button>
        )}
        {isInputOpen && input !== undefined && <JsonTree value={input} open={3} />}
        {blocks !== undefined && (
          <div className="out">
            <Blocks blocks={blocks} />
          </div>
        )}
        {status === 'running' && <Running since={step.startedAt} />}
        {problem !== undefined && <ProblemView problem={problem} />}
        <Divergences divergences={divergences} />
        {metadata !== undefined && metadata !== null && Object.keys(metadata).length > 0 && (
          <details className="metadata">
            <summary>metadata</summary>
            <JsonTree value={metadata} />
          </details>
        )}
        {children}
      </div>
      <div className="paid">
        {status === 'running' ? null : <Reward value={reward} />}
        {finished && <span className="tag end">finished</span>}
        {step.ms !== null && <span className="ms">{formatMs(step.ms)}</span>}
        {acts !== undefined && <div className="acts">{acts}</div>}
      </div>
    </li>
  );
}

interface StepRowProps {
  readonly step: ShownStep;
  readonly isSelected?: boolean;
  /** Whether a glance at its output is enough. */
  readonly isBrief?: boolean;
  readonly onSelect?: () => void;
  /** What can be done with the step. */
  readonly acts?: ReactNode;
  /** What is shown below it. */
  readonly children?: ReactNode;
}

function Running({ since }: { readonly since: number }): ReactElement {
  const now = useNow(200);
  return (
    <p className="running" role="status">
      <i className="spinner" aria-hidden="true" />
      running, {formatMs(Math.max(1, now - since))}
    </p>
  );
}
