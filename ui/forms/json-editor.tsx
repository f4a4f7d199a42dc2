import type { ReactElement } from 'react';
import type { JsonObject } from '../../src/protocol/index.ts';
import type { SchemaError } from './validator.ts';

/** An object as text. */
export function JsonEditor({ text, onChange, label, errors }: JsonEditorProps): ReactElement {
  return (
    <div className={errors.length > 0 ? 'field wrong' : 'field'}>
      <textarea
        className="json"
        aria-label={label}
        value={text}
        rows={8}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
      {errors.map(({ message }) => (
        <p key={message} className="error">
          <span aria-hidden="true">✕ </span>
          {message}
        </p>
      ))}
    </div>
  );
}

interface JsonEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly label: string;
  readonly errors: readonly SchemaError[];
}

/** Reads an object that somebody has typed. */
export function readObject(text: string): { readonly value?: JsonObject; readonly problem?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      return { problem: 'This must be a JSON object: { ... }' };
    return { value: value as JsonObject };
  } catch (thrown) {
    return { problem: `This is not JSON: ${(thrown as Error).message}` };
  }
}
