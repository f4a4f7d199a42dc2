import { type ReactElement, useState } from 'react';
import type { WireBlock } from '../../../src/protocol/index.ts';
import type { Play } from '../../../src/studio/api.ts';
import { Blocks } from '../../parts/blocks.tsx';
import { Card } from '../../parts/card.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Scroller } from '../../parts/scroller.tsx';
import { Loading } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Divergences } from '../../steps/divergences.tsx';

const TABS = [
  { name: 'rendered', label: 'Rendered' },
  { name: 'raw', label: 'Raw' },
] as const;

const isEmpty = (prompt: readonly WireBlock[]) =>
  prompt.every((block) => block.type === 'text' && block.text.trim() === '');

/** What the agent reads first. */
export function PromptCard({ play }: { readonly play: Play }): ReactElement {
  const [tab, setTab] = useState<'rendered' | 'raw'>('rendered');
  const { prompt, promptDivergences } = play;
  return (
    <Card
      title="Prompt"
      className="prompt"
      side={<Tabs tabs={TABS} chosen={tab} onChoose={setTab} label="Views of the prompt" />}
    >
      {prompt === null && <Loading lines={2} label="Waiting for the prompt" />}
      {prompt !== null && isEmpty(prompt) && <p className="soft">The prompt is empty.</p>}
      {prompt !== null && !isEmpty(prompt) && (
        <Scroller className="scrolls" label="The prompt">
          {tab === 'raw' ? (
            <LongText text={JSON.stringify(prompt, null, 2)} />
          ) : (
            <Blocks blocks={prompt} as="markdown" />
          )}
        </Scroller>
      )}
      <Divergences divergences={promptDivergences} />
    </Card>
  );
}
