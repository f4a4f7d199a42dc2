import { type ReactElement, useEffect, useState } from 'react';
import type { Target } from '../../src/studio/api.ts';
import { useStreamStatus } from '../data/hooks.ts';
import { toSafeText } from '../data/safe-text.ts';
import { Notice } from '../parts/states.tsx';
import { useStudio } from './studio.ts';

/** Says that the studio or a server is away, and when it is back; in sight wherever one has scrolled. */
export function Connection(): ReactElement | null {
  const status = useStreamStatus();
  const { targets } = useStudio();
  const isBack = useIsBack(status === 'lost');
  const down = targets.filter((target) => target.status === 'down');
  if (status !== 'lost' && !isBack && down.length === 0) return null;
  return (
    <div className="connection">
      {status === 'lost' ? (
        <Notice tone="warn">
          <b>The studio does not answer.</b> What you see may be out of date. Looking for it again; if you stopped it,
          type <code>tiltyard studio</code>.
        </Notice>
      ) : (
        <>
          {isBack && <Notice tone="good">Connected again.</Notice>}
          {down.length > 0 && <Away targets={down} />}
        </>
      )}
    </div>
  );
}

// One notice for all of them: many would hide the page.
function Away({ targets }: { readonly targets: readonly Target[] }): ReactElement {
  const [first] = targets;
  if (first === undefined || targets.length > 1)
    return (
      <Notice tone="warn">
        <b>{targets.length} servers are away.</b> The studio goes on looking for{' '}
        {toSafeText(targets.map(({ name }) => name).join(', '))}.
      </Notice>
    );
  return (
    <Notice tone="warn">
      <b>{toSafeText(first.name)} is away.</b>{' '}
      {toSafeText(first.problem?.advice ?? `Nothing answers at ${first.url}. The studio goes on looking for it.`)}
    </Notice>
  );
}

/** True for a moment after something was lost and came back. */
function useIsBack(isLost: boolean): boolean {
  const [wasLost, setWasLost] = useState(false);
  useEffect(() => {
    if (isLost) return setWasLost(true);
    const timer = setTimeout(() => setWasLost(false), 3000);
    return () => clearTimeout(timer);
  }, [isLost]);
  return wasLost && !isLost;
}
