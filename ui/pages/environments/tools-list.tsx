import type { ReactElement } from 'react';
import type { JsonObject } from '../../../src/protocol/index.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Brief } from '../../parts/brief.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';

/** A tool to read about. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject | null;
  readonly output?: JsonObject | null;
  readonly version?: string;
  /** What it needs: secrets, a user, permissions. */
  readonly needs?: readonly string[];
}

/** Tools with their schemas. */
export function ToolsList({ tools }: { readonly tools: readonly ListedTool[] }): ReactElement {
  if (tools.length === 0) return <p className="none-yet">There are none.</p>;
  return (
    <ul className="tool-list">
      {tools.map(({ name, version, description, input, output, needs = [] }) => (
        <li key={`${name}@${version}`}>
          <div className="bar">
            <b className="mono">{toSafeText(name)}</b>
            {version !== undefined && <span className="pill">{toSafeText(version)}</span>}
            {needs.map((need) => (
              <span key={need} className="tag">
                {toSafeText(need)}
              </span>
            ))}
          </div>
          <Brief text={description} className="soft" />
          {input !== null && (
            <details>
              <summary>input</summary>
              <JsonTree value={input} open={3} />
            </details>
          )}
          {output != null && (
            <details>
              <summary>output</summary>
              <JsonTree value={output} open={3} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
