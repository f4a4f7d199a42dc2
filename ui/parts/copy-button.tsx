import { type ReactElement, useEffect, useState } from 'react';

/** Copies a text, and says that it has. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string);
  readonly label?: string;
}): ReactElement {
  const [said, say] = useState<string | undefined>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => say(undefined), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => say('Copied'),
      () => say('The browser refused'),
    );
  return (
    <button type="button" className="quiet" onClick={copy}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
