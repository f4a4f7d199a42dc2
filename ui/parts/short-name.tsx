import type { ReactElement } from 'react';
import { toSafeText } from '../data/safe-text.ts';

/** A name in a table, cut where there is no room for it: whole on hover, and while the keyboard is in its row. */
export function ShortName({
  name,
  className = '',
}: {
  readonly name: string;
  readonly className?: string;
}): ReactElement {
  const text = toSafeText(name);
  return (
    <span className={`short-name ${className}`} title={text}>
      {text}
    </span>
  );
}
