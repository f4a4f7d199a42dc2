import { Fragment, type ReactElement } from 'react';
import type { JsonValue } from '../../src/protocol/index.ts';
import { toSafeText } from '../data/safe-text.ts';

const LONGEST = 90;

/** A call on one line: `move(direction: "east", steps: 3)`. */
export function CallText({
  tool,
  input,
}: {
  readonly tool: string;
  readonly input: JsonValue | undefined;
}): ReactElement {
  return (
    <bdi className="call">
      {toSafeText(tool)}({input === undefined ? '…' : <Arguments input={input} />})
    </bdi>
  );
}

/** Whether the line leaves something out. */
export function isCut(input: JsonValue | undefined): boolean {
  return valuesOf(input).some(([, value]) => toText(value).length > LONGEST);
}

function Arguments({ input }: { readonly input: JsonValue }): ReactElement {
  return (
    <>
      {valuesOf(input).map(([name, value], at) => (
        <Fragment key={name}>
          {at > 0 && ', '}
          {name !== '' && `${toSafeText(name)}: `}
          <b>{cut(toText(value))}</b>
        </Fragment>
      ))}
    </>
  );
}

function valuesOf(input: JsonValue | undefined): readonly (readonly [name: string, value: JsonValue])[] {
  if (input === undefined) return [];
  return input !== null && typeof input === 'object' && !Array.isArray(input) ? Object.entries(input) : [['', input]];
}

function toText(value: JsonValue): string {
  return JSON.stringify(value) ?? '';
}

function cut(text: string): string {
  return toSafeText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
