import { type ReactElement, type ReactNode, useId } from 'react';

/** A part of a page under a heading of its own. */
export function Card({ title, side, children, flush, className }: CardProps): ReactElement {
  const id = useId();
  return (
    <section className={`card ${className ?? ''}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {side !== undefined && <div className="bar end">{side}</div>}
      </header>
      <div className={flush === undefined ? 'inside' : 'inside flush'}>{children}</div>
    </section>
  );
}

interface CardProps {
  readonly title: ReactNode;
  /** What stands at the other end of the heading. */
  readonly side?: ReactNode;
  readonly children: ReactNode;
  /** Without space around the contents, for rows that go from edge to edge. */
  readonly flush?: true;
  readonly className?: string | undefined;
}
