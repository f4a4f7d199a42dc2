import type { ReactElement, ReactNode } from 'react';
import { Mark } from './mark.tsx';

/** Nothing is here, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactElement {
  return (
    <div className="state">
      <Mark size="large" />
      <h2>{title}</h2>
      {children !== undefined && <div className="advice">{children}</div>}
    </div>
  );
}

/** Something failed: what, and what to do. */
export function Failed({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}): ReactElement {
  const { message, advice } = describe(error);
  return (
    <div className="state failed" role="alert">
      <h2>
        <span aria-hidden="true">✕ </span>
        {message}
      </h2>
      {advice !== undefined && <p className="advice">{advice}</p>}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Lines where text will be, so that nothing jumps when it comes. */
export function Loading({
  lines = 3,
  label = 'Loading',
}: {
  readonly lines?: number;
  readonly label?: string;
}): ReactElement {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
        <i key={line} />
      ))}
    </div>
  );
}

/** A line where the text of a row will be. */
export function Ghost(): ReactElement {
  return (
    <i className="ghost">
      <span className="said">Loading</span>
    </i>
  );
}

/** A short word about something that is not as it should be. */
export function Notice({
  tone,
  children,
}: {
  readonly tone: 'warn' | 'bad' | 'good' | 'info';
  readonly children: ReactNode;
}): ReactElement {
  const signs = { warn: '!', bad: '✕', good: '✓', info: 'i' };
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <b className="sign" aria-hidden="true">
        {signs[tone]}
      </b>
      <div>{children}</div>
    </div>
  );
}

function describe(error: unknown): { readonly message: string; readonly advice?: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error) };
  const advice = 'advice' in error && typeof error.advice === 'string' ? error.advice : undefined;
  return { message: error.message, advice };
}
