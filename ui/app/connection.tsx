import { type ReactElement, useEffect, useState } from 'react';
import { useStreamStatus } from '../data/hooks.ts';
import { toSafeText } from '../data/safe-text.ts';
import { Notice } from '../parts/states.tsx';
import { useStudio } from './studio.ts';

/** Says that the studio or a server is away, and when it is back. */
export function Connection(): ReactElement | null {
  const status = useStreamStatus();
  const { targets } = useStudio();
  const isBack = useIsBack(status === 'lost');
  const down = targets.filter((target) => target.status === 'down');
  if (status === 'lost')
    return (
      <Notice tone="warn">
        <b>The studio does not answer.</b> What you see may be out of date. Looking for it again; if you stopped it,
        type <code>tiltyard studio</code>.
      </Notice>
    );
  return (
    <>
      {isBack && <Notice tone="good">Connected again.</Notice>}
      {down.map(({ id, url, name, problem }) => (
        <Notice key={id} tone="warn">
          <b>{toSafeText(name)} is away.</b>{' '}
          {toSafeText(problem?.advice ?? `Nothing answers at ${url}. The studio goes on looking for it.`)}
        </Notice>
      ))}
    </>
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
