import { type ReactElement, useState } from 'react';
import { toSafeText } from '../data/safe-text.ts';

// About four lines.
const LONG = { characters: 200, lines: 4 };

/** A text of somebody else's, of which the first lines are shown, with a way to the rest if it is long. */
export function Brief({ text, className = '' }: { readonly text: string; readonly className?: string }): ReactElement {
  const [isWhole, show] = useState(false);
  const isLong = text.length > LONG.characters || text.split('\n').length > LONG.lines;
  return (
    <div className={`brief ${className}`}>
      <p className={isLong && !isWhole ? 'clamped' : undefined} dir="auto">
        {toSafeText(text)}
      </p>
      {isLong && (
        <button type="button" className="quiet" aria-expanded={isWhole} onClick={() => show(!isWhole)}>
          {isWhole ? 'less' : 'more'}
        </button>
      )}
    </div>
  );
}
