import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { RecordEvent } from '../../src/records/index.ts';
import { Card } from '../parts/card.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { RewardChart } from '../steps/reward-chart.tsx';
import { findSaid } from './find-said.ts';
import { PassageView } from './passage-view.tsx';
import { stepsOf, toPassages } from './reading.ts';

const TABS = [
  { name: 'read', label: 'Reading' },
  { name: 'steps', label: 'Steps' },
  { name: 'raw', label: 'Raw events' },
] as const;

/** An episode that was written down: messages, calls and rewards in order, or its events as they are. */
export function RecordReader({
  events,
  hasMore,
  onMore,
  at: event,
  text,
}: {
  readonly events: readonly RecordEvent[];
  readonly hasMore: boolean;
  readonly onMore: () => void;
  /** The event to begin at. */
  readonly at: number | undefined;
  /** Or where this is said first. */
  readonly text?: string | undefined;
}): ReactElement {
  const [tab, setTab] = useState<'read' | 'steps' | 'raw'>('read');
  const passages = useMemo(() => toPassages(events), [events]);
  const steps = useMemo(() => stepsOf(passages), [passages]);
  const said = useMemo(() => (text === undefined ? undefined : findSaid(passages, text)), [text, passages]);
  const at = event ?? said;
  const list = useRef<HTMLOListElement>(null);
  const shown = tab === 'steps' ? passages.filter(({ kind }) => kind === 'step' || kind === 'end') : passages;
  const hasEvents = events.length > 0;
  useEffect(() => {
    if (at !== undefined && hasEvents)
      list.current?.querySelector(`[data-event="${at}"]`)?.scrollIntoView({ block: 'center' });
  }, [at, hasEvents]);
  return (
    <>
      <Card
        title="Episode"
        side={<Tabs tabs={TABS} chosen={tab} onChoose={setTab} label="Views of the episode" />}
        flush
      >
        {tab === 'raw' ? (
          <div className="raw-events">
            {events.map((event) => (
              <JsonTree key={event.n} value={JSON.parse(JSON.stringify(event))} open={1} />
            ))}
          </div>
        ) : (
          <ol className="reading" ref={list}>
            {shown.map((passage) => (
              <PassageView key={passage.n} passage={passage} isHere={passage.n === at} />
            ))}
          </ol>
        )}
        {shown.length === 0 && tab !== 'raw' && <p className="none-yet">Nothing was written down yet.</p>}
        {hasMore && (
          <div className="none-yet">
            <button type="button" onClick={onMore}>
              Load what comes after
            </button>
          </div>
        )}
      </Card>
      {steps.length > 1 && (
        <Card title="Reward" side={<span className="pill">running total</span>}>
          <RewardChart steps={steps} />
        </Card>
      )}
    </>
  );
}
