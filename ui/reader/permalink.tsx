import type { ReactElement } from 'react';
import { to, usePlace } from '../app/route.ts';

/** The address of one event of a record, to copy or to send to somebody. */
export function Permalink({ event, label }: { readonly event: number; readonly label: string }): ReactElement {
  const { path, query } = usePlace();
  return (
    <a
      className="permalink"
      href={to(path, { attempt: query.get('attempt') ?? undefined, event })}
      aria-label={`Link to ${label}`}
      title={`Link to ${label}`}
    >
      #
    </a>
  );
}
