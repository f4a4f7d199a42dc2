import { type ReactElement, useState } from 'react';
import { isDrawn } from '../data/drawn.ts';
import { formatBytes } from '../data/format.ts';
import { toSafeText } from '../data/safe-text.ts';

// A page stays quick with this much text at a time.
const FIRST = 8_000;
const NEXT = 200_000;

/** Text as it is, with a way to the rest of it if it is long. */
export function LongText({ text, className }: { readonly text: string; readonly className?: string }): ReactElement {
  const [shown, show] = useState(FIRST);
  const isCut = text.length > shown;
  return (
    <>
      <pre className={isDrawn(text) ? `${className ?? ''} drawn` : className} dir="auto">
        {toSafeText(isCut ? text.slice(0, shown) : text)}
      </pre>
      {isCut && (
        <button type="button" className="quiet" onClick={() => show(shown + NEXT)}>
          Show more ({formatBytes(text.length - shown)} left)
        </button>
      )}
    </>
  );
}
