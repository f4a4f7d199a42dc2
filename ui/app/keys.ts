import { useLayoutEffect, useRef } from 'react';

/** What keys do: `n`, `shift+t`, `mod+enter`, where `mod` is Control, or Command on a Mac. */
export type Keys = Readonly<Record<string, () => void>>;

/** Acts on keys while the component is there. Letters do nothing while somebody types. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Together with what is drawn: who sees a button with its key may press that at once.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = latest.current[nameOf(event)];
      const hasModifier = event.ctrlKey || event.metaKey;
      if (
        act === undefined ||
        (!hasModifier && isTyping(event.target)) ||
        document.querySelector('dialog[open]') !== null
      )
        return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** How the key is written on this machine. */
export const MOD: string = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';

function nameOf(event: KeyboardEvent): string {
  const mod = event.ctrlKey || event.metaKey ? 'mod+' : '';
  // The sign that Shift makes says it already, except for letters.
  const shift = event.shiftKey && /^[a-z]$/i.test(event.key) ? 'shift+' : '';
  return `${mod}${shift}${event.key.toLowerCase()}`;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
