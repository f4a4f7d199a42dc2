import type { ReactElement } from 'react';

/** The mark of Tiltyard: a lance over the barrier. */
export function Mark({ size }: { readonly size: 'small' | 'large' }): ReactElement {
  const px = { small: 18, large: 40 }[size];
  return (
    <svg
      className="mark"
      width={px}
      height={px}
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      strokeWidth={size === 'small' ? 2 : 1}
      aria-hidden="true"
    >
      <path d="M2 14 16 4M2 9h5M11 9h5" />
    </svg>
  );
}
