import type { ReactElement, ReactNode } from 'react';
import { Failed, Loading } from './states.tsx';

/** A page whose contents are on their way, or cannot be had: its heading is there already, so that nothing jumps. */
export function PageWait({ title, within, error, onRetry }: PageWaitProps): ReactElement {
  return (
    <PageAlone title={title} within={within}>
      {error === undefined ? <Loading lines={10} /> : <Failed error={error} onRetry={onRetry} />}
    </PageAlone>
  );
}

interface PageWaitProps {
  readonly title: string;
  readonly within?: Within;
  /** Why they cannot be had. */
  readonly error?: unknown;
  readonly onRetry?: () => void;
}

/** The page above another one, and its address. */
interface Within {
  readonly name: string;
  readonly address: string;
}

/** A page with nothing but its heading and a state. */
export function PageAlone({ title, within, children }: PageAloneProps): ReactElement {
  return (
    <>
      <div className="bar">
        {within !== undefined && (
          <nav className="crumbs" aria-label="Where this is">
            <a href={within.address}>{within.name}</a>
          </nav>
        )}
        <h1>{title}</h1>
      </div>
      {children}
    </>
  );
}

interface PageAloneProps {
  readonly title: string;
  readonly within?: Within | undefined;
  readonly children: ReactNode;
}
