import type { ReactElement, ReactNode } from 'react';
import { Failed, Loading } from './states.tsx';

/** A page whose contents are on their way, or cannot be had: its heading is there already, so that nothing jumps. */
export function PageWait({ title, error, onRetry }: PageWaitProps): ReactElement {
  return (
    <PageAlone title={title}>
      {error === undefined ? <Loading lines={10} /> : <Failed error={error} onRetry={onRetry} />}
    </PageAlone>
  );
}

interface PageWaitProps {
  readonly title: string;
  /** Why they cannot be had. */
  readonly error?: unknown;
  readonly onRetry?: () => void;
}

/** A page with nothing but its heading and a state. */
export function PageAlone({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <>
      <div className="bar">
        <h1>{title}</h1>
      </div>
      {children}
    </>
  );
}
