import { useEffect } from 'react';
import { toSafeText } from '../data/safe-text.ts';

/** Names the tab of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${toSafeText(title)} · Tiltyard`;
  }, [title]);
}
