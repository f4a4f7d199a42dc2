import { type ReactElement, useState } from 'react';
import type { RecordHead } from '../../../src/studio/api.ts';
import { go, to } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { formatTime, plural } from '../../data/format.ts';
import { useRows } from '../../data/rows.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { Empty, Failed, Ghost, Loading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { VirtualList } from '../../parts/virtual-list.tsx';

/** Records outside of runs: of servers, and of games. */
export function RecordsPage(): ReactElement {
  const [active, setActive] = useState<number | undefined>();
  const records = useRows<RecordHead>('records', async (start, stop, signal) => {
    const page = await ask('GET /api/records', { query: { start, stop }, signal });
    return { rows: page.records, total: page.total };
  });
  useTitle('Records');
  const { total } = records;
  return (
    <>
      <div className="bar">
        <h1>Records</h1>
      </div>
      {records.error !== undefined && <Failed error={records.error} onRetry={records.reload} />}
      {total === undefined && records.error === undefined && <Loading lines={8} />}
      {total === 0 && (
        <Empty title="No records">
          <p>
            Open some with <code>tiltyard studio episode.jsonl</code>
          </p>
        </Empty>
      )}
      {total !== undefined && total > 0 && (
        <Card title={plural(total, 'record')} flush>
          <VirtualList
            count={total}
            rowHeight={34}
            label="Records"
            onVisible={records.see}
            active={active}
            onActive={setActive}
            onOpen={(at) => {
              const record = records.row(at);
              if (record !== undefined) go(to(['records', record.id]));
            }}
            render={(at) => <Row key={at} record={records.row(at)} isActive={at === active} />}
          />
        </Card>
      )}
    </>
  );
}

function Row({
  record,
  isActive,
}: {
  readonly record: RecordHead | undefined;
  readonly isActive: boolean;
}): ReactElement {
  if (record === undefined)
    return (
      <div className="row record">
        <Ghost />
      </div>
    );
  return (
    <a className={isActive ? 'row record active' : 'row record'} href={to(['records', record.id])}>
      <b className="cut">{toSafeText(record.name)}</b>
      {record.problem === null ? (
        <>
          <span className="cut">{toSafeText(record.environment)}</span>
          <span className="soft cut">{record.split === null ? '' : `${toSafeText(record.split)} ${record.index}`}</span>
          <span className="soft num">{formatTime(record.at)}</span>
        </>
      ) : (
        <span className="cut why" title={toSafeText(record.problem.message)}>
          ✕ {toSafeText(record.problem.message)}
        </span>
      )}
    </a>
  );
}
