import type { ReactElement } from 'react';
import type { JsonObject } from '../../../src/protocol/index.ts';
import { Card } from '../../parts/card.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';

/** What a measurement found. */
export function BenchReport({ report }: { readonly report: JsonObject }): ReactElement {
  return (
    <Card title="Report">
      <JsonTree value={report} open={3} />
    </Card>
  );
}
