import type { ReactElement, ReactNode } from 'react';

/** A part of the page that scrolls by itself, by keyboard as well. */
export function Scroller({ label, className, children }: ScrollerProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a place for the focus, only a mouse could scroll it.
    <div className={className} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}

interface ScrollerProps {
  /** What is in it. */
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}
