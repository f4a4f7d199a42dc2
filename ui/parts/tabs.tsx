import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef } from 'react';

/** One of several views of the same thing. */
export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
}

/** The row of tabs; arrows go from one to the next. */
export function Tabs<Name extends string>({ tabs, chosen, onChoose, label }: TabsProps<Name>): ReactElement {
  const row = useRef<HTMLDivElement>(null);
  const id = useId();
  const go = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = (at + by + tabs.length) % tabs.length;
    const tab = tabs[next];
    if (tab === undefined) return;
    onChoose(tab.name);
    row.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={row} onKeyDown={go}>
      {tabs.map(({ name, label: text }) => (
        <button
          key={name}
          id={`${id}-${name}`}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

interface TabsProps<Name extends string> {
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** What the tabs are views of. */
  readonly label: string;
}
