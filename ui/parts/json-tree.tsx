import { type ReactElement, useState } from 'react';
import type { JsonValue } from '../../src/protocol/index.ts';
import { plural } from '../data/format.ts';
import { toSafeText } from '../data/safe-text.ts';

// More at once would only slow the page down: nobody reads them all.
const CHILDREN = 100;
const CHARACTERS = 400;

/** A value as a tree; what is deep or long opens on demand. */
export function JsonTree({
  value,
  open = 2,
}: {
  readonly value: JsonValue /** How many levels are open at first. */;
  readonly open?: number;
}): ReactElement {
  return (
    <ul className="tree mono">
      <Node name={undefined} value={value} open={open} />
    </ul>
  );
}

function Node({
  name,
  value,
  open,
}: {
  readonly name: string | undefined;
  readonly value: JsonValue;
  readonly open: number;
}): ReactElement {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, show] = useState(CHILDREN);
  const label = name === undefined ? null : <span className="key">{toSafeText(name)}: </span>;
  if (value === null || typeof value !== 'object')
    return (
      <li>
        {label}
        <Leaf value={value} />
      </li>
    );
  const entries = Array.isArray(value) ? value.map((item, at) => [String(at), item] as const) : Object.entries(value);
  const [begin, end] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0)
    return (
      <li>
        {label}
        <span className="soft">
          {begin}
          {end}
        </span>
      </li>
    );
  return (
    <li>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        <span className="soft">
          {begin}
          {!isOpen && ` ${plural(entries.length, Array.isArray(value) ? 'item' : 'key')} ${end}`}
        </span>
      </button>
      {isOpen && (
        <>
          <ul>
            {entries.slice(0, shown).map(([key, child]) => (
              <Node key={key} name={key} value={child} open={open - 1} />
            ))}
            {entries.length > shown && (
              <li>
                <button type="button" className="quiet" onClick={() => show(shown + CHILDREN * 10)}>
                  {plural(entries.length - shown, 'more item')}
                </button>
              </li>
            )}
          </ul>
          <span className="soft">{end}</span>
        </>
      )}
    </li>
  );
}

function Leaf({ value }: { readonly value: string | number | boolean | null }): ReactElement {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string')
    return <span className={`value ${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
  const isLong = value.length > CHARACTERS && !isWhole;
  return (
    <>
      <bdi className="value string">"{toSafeText(isLong ? value.slice(0, CHARACTERS) : value)}"</bdi>
      {isLong && (
        <button type="button" className="quiet" onClick={() => setWhole(true)}>
          {plural(value.length - CHARACTERS, 'more character')}
        </button>
      )}
    </>
  );
}
