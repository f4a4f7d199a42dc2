import type { ReactElement } from 'react';
import { toSafeText } from '../data/safe-text.ts';

/** A secret that is being typed. */
export interface SecretRow {
  readonly name: string;
  readonly value: string;
}

/** Names and values of secrets; values are never shown. */
export function SecretsField({
  rows,
  required,
  onChange,
}: {
  readonly rows: readonly SecretRow[];
  /** Names without which nothing begins. */
  readonly required: readonly string[];
  readonly onChange: (rows: readonly SecretRow[]) => void;
}): ReactElement {
  const change = (at: number, row: Partial<SecretRow>) =>
    onChange(rows.map((each, place) => (place === at ? { ...each, ...row } : each)));
  return (
    <details className="secrets" open={required.length > 0}>
      <summary>Secrets {rows.length > 0 && `(${rows.length})`}</summary>
      {required.length > 0 && <p>This environment needs {required.map(toSafeText).join(', ')}.</p>}
      <p className="hint">Sent to the server for this episode, kept in the memory of the studio, shown nowhere.</p>
      {rows.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name than the one that is being typed.
        <div key={at} className="secret">
          <input
            aria-label="Name of the secret"
            placeholder="NAME"
            value={name}
            onChange={({ target }) => change(at, { name: target.value })}
          />
          <input
            aria-label={name === '' ? 'Value of the secret' : `Value of ${toSafeText(name)}`}
            type="password"
            autoComplete="off"
            value={value}
            onChange={({ target }) => change(at, { value: target.value })}
          />
          <button
            type="button"
            aria-label="Remove the secret"
            onClick={() => onChange(rows.filter((_, place) => place !== at))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" className="add" onClick={() => onChange([...rows, { name: '', value: '' }])}>
        Add a secret
      </button>
    </details>
  );
}

/** Secrets as they are sent, without those that have no name or no value; nothing where there are none. */
export function toSecrets(rows: readonly SecretRow[]): { readonly secrets?: Readonly<Record<string, string>> } {
  const named = rows.filter(({ name, value }) => name.trim() !== '' && value !== '');
  return named.length === 0
    ? {}
    : { secrets: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])) };
}
