import { type ReactElement, useState } from 'react';
import type { PlayTool } from '../../../src/studio/api.ts';
import { plural } from '../../data/format.ts';
import { toSafeText } from '../../data/safe-text.ts';

// More than these are a list to search in.
const FEW = 8;

/** The tools to choose from. */
export function ToolChooser({
  tools,
  chosen,
  onChoose,
}: {
  readonly tools: readonly PlayTool[];
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}): ReactElement {
  const [text, setText] = useState('');
  const isFew = tools.length <= FEW;
  const shown = isFew
    ? tools
    : tools.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      {!isFew && (
        <input
          type="search"
          placeholder={`Search ${tools.length} tools`}
          aria-label="Search the tools"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <div className={isFew ? 'tools' : 'tools many'} role="radiogroup" aria-label="Tool">
        {shown.map(({ name, description }) => (
          <button
            key={name}
            type="button"
            role="radio"
            aria-checked={name === chosen}
            title={isFew ? description : undefined}
            onClick={() => onChoose(name)}
          >
            <span>{toSafeText(name)}</span>
            {!isFew && <span className="soft">{toSafeText(description)}</span>}
          </button>
        ))}
        {shown.length === 0 && <p className="soft">None of {plural(tools.length, 'tool')} matches.</p>}
      </div>
    </>
  );
}
