import type { ReactElement } from 'react';
import type { RecordDetail } from '../../../src/studio/api.ts';
import { to, usePlace } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { formatTime } from '../../data/format.ts';
import { useAnswer } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { PageWait } from '../../parts/page-wait.tsx';
import { Failed } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { RecordReader } from '../../reader/record-reader.tsx';
import { useEvents } from '../../reader/use-events.ts';

/** One record, to read. */
export function RecordPage({ id }: { readonly id: string }): ReactElement {
  const { data, error, reload } = useAnswer('GET /api/records/:record', { path: { record: id } });
  useTitle(data?.name ?? 'Record');
  if (data === undefined)
    return (
      <PageWait title="Record" within={{ name: 'Records', address: to(['records']) }} error={error} onRetry={reload} />
    );
  return <Recorded key={id} record={data} />;
}

function Recorded({ record }: { readonly record: RecordDetail }): ReactElement {
  const { query } = usePlace();
  const at = query.get('event');
  const { events, hasMore, more, error } = useEvents(record.events, (start) =>
    ask('GET /api/records/:record/events', { path: { record: record.id }, query: { start } }),
  );
  return (
    <>
      <div className="bar">
        <nav className="crumbs" aria-label="Where this is">
          <a href={to(['records'])}>Records</a>
        </nav>
        <h1>{toSafeText(record.name)}</h1>
        <span className="pill">{toSafeText(record.environment)}</span>
        {record.split !== null && (
          <span className="pill">
            {toSafeText(record.split)} · task {record.index}
          </span>
        )}
        <span className="grow" />
        <span className="soft">{formatTime(record.at)}</span>
      </div>
      {error !== undefined && <Failed error={error} />}
      <div className="play">
        <div className="column">
          <RecordReader events={events} hasMore={hasMore} onMore={more} at={at === null ? undefined : Number(at)} />
        </div>
        <aside className="column" aria-label="About the record">
          {record.task !== null && (
            <Card title="Task">
              <JsonTree value={record.task} open={2} />
            </Card>
          )}
          <Card title="File">
            <p className="mono path">{toSafeText(record.path)}</p>
          </Card>
        </aside>
      </div>
    </>
  );
}
