import type { ReactElement } from 'react';
import type { JsonValue } from '../../src/protocol/index.ts';
import type { Divergence } from '../../src/studio/api.ts';
import { formatReward } from '../data/format.ts';
import { LongText } from '../parts/long-text.tsx';

/** What came out otherwise than before, with both versions. */
export function Divergences({ divergences }: { readonly divergences: readonly Divergence[] }): ReactElement | null {
  if (divergences.length === 0) return null;
  return (
    <details className="divergences">
      <summary>
        <span aria-hidden="true">≠ </span>
        Differs from before: {divergences.map(({ what }) => NAMES[what]).join(', ')}
      </summary>
      {divergences.map(({ what, before, now }) => (
        <dl key={what}>
          <dt>{NAMES[what]} before</dt>
          <dd>
            <LongText text={toText(what, before)} />
          </dd>
          <dt>{NAMES[what]} now</dt>
          <dd>
            <LongText text={toText(what, now)} />
          </dd>
        </dl>
      ))}
    </details>
  );
}

const NAMES: Readonly<Record<Divergence['what'], string>> = {
  failure: 'failure',
  reward: 'reward',
  finished: 'end of the episode',
  text: 'text',
  images: 'images',
  metadata: 'metadata',
};

function toText(what: Divergence['what'], value: JsonValue): string {
  if (what === 'reward' && (typeof value === 'number' || value === null)) return formatReward(value);
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
