import type { ReactElement } from 'react';
import type { JsonObject, JsonValue } from '../../../src/protocol/index.ts';
import { formatCount, formatLatency, formatShare } from '../../data/format.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { Histogram } from '../runs/histogram.tsx';
import { type MeasuredServer, readReport } from './read-report.ts';

/** What a measurement found: throughput, latency and errors of each server. */
export function BenchReport({ report }: { readonly report: JsonObject }): ReactElement {
  return (
    <>
      {readReport(report).map((server) => (
        <Measured key={server.url} server={server} />
      ))}
      <Card title="Whole report">
        <JsonTree value={report as JsonValue} open={1} />
      </Card>
    </>
  );
}

function Measured({ server }: { readonly server: MeasuredServer }): ReactElement {
  const { name, perSecond, unit, completed, failed, latency, bins } = server;
  const errors = completed + failed === 0 ? 0 : failed / (completed + failed);
  return (
    <>
      <div className="tiles">
        <Tile
          name={`${unit.charAt(0).toUpperCase()}${unit.slice(1)}s a second`}
          figure={formatCount(Math.round(perSecond))}
          about={toSafeText(name)}
        />
        <Tile
          name="Half are faster than"
          figure={formatLatency(latency.p50)}
          about={`90 % than ${formatLatency(latency.p90)}`}
        />
        <Tile
          name="99 % are faster than"
          figure={formatLatency(latency.p99)}
          about={`slowest ${formatLatency(latency.max)}`}
        />
        <Tile
          name="Failed"
          figure={formatShare(errors)}
          about={`${formatCount(failed)} of ${formatCount(completed + failed)}`}
        />
      </div>
      {bins.length > 0 && (
        <Card title="Latency">
          <Histogram bins={bins} format={formatLatency} label="Latency of the calls" />
        </Card>
      )}
    </>
  );
}

function Tile({
  name,
  figure,
  about,
}: {
  readonly name: string;
  readonly figure: string;
  readonly about: string;
}): ReactElement {
  return (
    <div className="tile">
      <span>{name}</span>
      <b>{figure}</b>
      <span>{about}</span>
    </div>
  );
}
