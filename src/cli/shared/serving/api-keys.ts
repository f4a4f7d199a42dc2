import type { ApiKey } from '../../../server/index.ts';
import { misuse } from '../failure.ts';

/** A key, and where it stands, for messages: they never show the key itself. */
export interface PlacedKey {
  readonly key: string | ApiKey;
  readonly place: string;
}

/** The keys of a list, with commas between them. */
export function keysOfList(text: string, where: string): PlacedKey[] {
  return someOf(
    toPlaced(text.split(','), (number) => `key ${number} of ${where}`),
    where,
  );
}

/** The keys of a file: one a line, or JSON with identities and scopes. `where` names the file in messages. */
export function keysOfFile(text: string, where: string): PlacedKey[] {
  const lines = text.split('\n').map((line) => (line.trim().startsWith('#') ? '' : line));
  const isJson = /^\s*[[{]/.test(lines.join('\n'));
  return someOf(isJson ? fromJson(text, where) : toPlaced(lines, (number) => `line ${number} of ${where}`), where);
}

// A server that was given keys must not start without any.
function someOf(keys: PlacedKey[], where: string): PlacedKey[] {
  if (keys.length === 0) throw misuse(`${where} holds no API key`);
  return keys;
}

function toPlaced(texts: readonly string[], toPlace: (number: number) => string): PlacedKey[] {
  return texts.map((text, index) => ({ key: text.trim(), place: toPlace(index + 1) })).filter(({ key }) => key !== '');
}

// No message quotes the file, and none has the parser's message as its cause: that quotes it as well.
function fromJson(text: string, where: string): PlacedKey[] {
  const wanted =
    'an array of {"key": "...", "identity": "...", "scopes": ["..."]}, of which only the key must be there';
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw misuse(`${where} begins like JSON and is not valid JSON. It must be ${wanted}`);
  }
  if (!Array.isArray(parsed)) throw misuse(`${where} must hold ${wanted}`);
  return parsed.map((key, index) => {
    const place = `entry ${index + 1} of ${where}`;
    if (typeof key !== 'string' && !isApiKey(key))
      throw misuse(`${place} is wrong: it must hold ${wanted}, and nothing else`);
    return { key, place };
  });
}

// Nothing else: a misspelt `scopes` would open everything.
function isApiKey(entry: unknown): entry is ApiKey {
  if (typeof entry !== 'object' || entry === null) return false;
  const { key, identity = '', scopes = [], ...others } = entry as Partial<ApiKey>;
  const areTexts = [key, identity, ...(Array.isArray(scopes) ? scopes : [undefined])].every(
    (value) => typeof value === 'string',
  );
  return areTexts && Object.keys(others).length === 0;
}
