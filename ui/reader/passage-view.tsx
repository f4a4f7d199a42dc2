import { type ReactElement, useState } from 'react';
import type { EndEvent, MessageEvent } from '../../src/records/index.ts';
import { formatMs, formatTokens, plural } from '../data/format.ts';
import { toSafeText } from '../data/safe-text.ts';
import { Blocks } from '../parts/blocks.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Reward } from '../parts/reward.tsx';
import { CallText } from '../steps/call-text.tsx';
import { isLong } from '../steps/shown-step.ts';
import { StepRow } from '../steps/step-row.tsx';
import { type MessagePart, toMessageParts } from './message-parts.ts';
import { Permalink } from './permalink.tsx';
import type { Passage } from './reading.ts';

/** One passage of an episode. */
export function PassageView({
  passage,
  isHere,
}: {
  readonly passage: Passage;
  readonly isHere: boolean;
}): ReactElement {
  if (passage.kind === 'step') return <StepPassage passage={passage} isHere={isHere} />;
  return (
    <li className={isHere ? 'passage said-by here' : 'passage said-by'} data-event={passage.n}>
      <Told passage={passage} />
      <Permalink event={passage.n} label={`this ${NAMES[passage.kind]}`} />
    </li>
  );
}

const NAMES = { prompt: 'prompt', message: 'message', note: 'note', end: 'end' } as const;

function StepPassage({
  passage,
  isHere,
}: {
  readonly passage: Extract<Passage, { kind: 'step' }>;
  readonly isHere: boolean;
}): ReactElement {
  const [isWhole, setWhole] = useState(false);
  const acts = (
    <>
      {!isHere && isLong(passage.step) && (
        <button type="button" className="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'less' : 'whole output'}
        </button>
      )}
      <Permalink event={passage.n} label={`step ${passage.step.number}`} />
    </>
  );
  return (
    <li className="passage" data-event={passage.n}>
      <ol className="steps">
        <StepRow step={passage.step} isSelected={isHere} isBrief={!isWhole} acts={acts} />
      </ol>
    </li>
  );
}

function Told({ passage }: { readonly passage: Exclude<Passage, { kind: 'step' }> }): ReactElement {
  switch (passage.kind) {
    case 'prompt':
      return (
        <>
          <h3>Prompt</h3>
          <div className="content">
            <Blocks blocks={passage.event.blocks} as="markdown" />
          </div>
        </>
      );
    case 'message':
      return <Message event={passage.event} />;
    case 'note':
      return (
        <>
          <h3>Note</h3>
          <div className="content">
            <LongText text={passage.event.text} className="plain" />
            {passage.event.data !== undefined && <JsonTree value={passage.event.data} open={1} />}
          </div>
        </>
      );
    case 'end':
      return <End event={passage.event} />;
  }
}

function Message({ event: { role, body, model } }: { readonly event: MessageEvent }): ReactElement {
  const parts = toMessageParts(body);
  const used = model?.usage;
  return (
    <>
      <h3>
        {role === 'assistant' ? 'Model' : ROLES[role]}
        {model !== undefined && (
          <span>
            {toSafeText(model.name)} · {formatMs(model.ms)}
            {used !== undefined && ` · ${formatTokens(used)}`}
            {model.stop !== undefined && ` · ${toSafeText(model.stop)}`}
          </span>
        )}
      </h3>
      <div className={`content ${role}`}>
        {parts.length === 0 && <p className="soft">(empty)</p>}
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts never change their places.
          <Part key={at} part={part} />
        ))}
      </div>
    </>
  );
}

const ROLES = { system: 'System', user: 'User', tool: 'Tool result to the model' } as const;

function Part({ part }: { readonly part: MessagePart }): ReactElement {
  switch (part.kind) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'reasoning':
      return (
        <details className="reasoning">
          <summary>reasoning</summary>
          <LongText text={part.text} className="plain" />
        </details>
      );
    case 'call':
      return (
        <p className="asks">
          <span className="soft">asks for </span>
          <CallText tool={part.tool} input={part.input} />
        </p>
      );
    case 'result':
      return (
        <details className="reasoning">
          <summary>what the model was told</summary>
          <LongText text={part.text} className="plain" />
        </details>
      );
    case 'image':
      return <p className="soft">an image</p>;
    case 'other':
      return <JsonTree value={part.value} open={1} />;
  }
}

function End({ event: { outcome, stop, fault, ms, calls, rewards } }: { readonly event: EndEvent }): ReactElement {
  const isFine = outcome === 'finished';
  return (
    <div className={isFine ? 'banner good' : 'banner bad'}>
      <span>
        <span aria-hidden="true">{isFine ? '✓ ' : '✕ '}</span>
        {(stop ?? outcome).replaceAll('_', ' ')}
        {fault !== undefined && fault !== 'none' && ` · fault of the ${fault}`} · {plural(calls, 'call')}
      </span>
      <span>
        <Reward value={rewards.sum} /> {formatMs(ms)}
      </span>
    </div>
  );
}
