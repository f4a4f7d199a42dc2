import type { ApiKey } from '../../server/index.ts';

/** The keys of a file: one a line, or JSON with identities and scopes. `where` names the file in messages. */
export function toApiKeys(text: string, where: string): (string | ApiKey)[] {
  const trimmed = text.trim();
  const keys = /^[[{]/.test(trimmed) ? fromJson(trimmed, where) : splitKeys(trimmed, '\n');
  // A server that was given keys must not start without any.
  if (keys.length === 0) throw new Error(`${where} holds no API key`);
  return keys;
}

/** Plain keys, with a separator between them. */
export function splitKeys(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

// No message quotes the file, and none has the parser's message as its cause: that quotes it as well.
function fromJson(text: string, where: string): (string | ApiKey)[] {
  const wanted =
    'an array of {"key": "...", "identity": "...", "scopes": ["..."]}, of which only the key must be there';
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error(`${where} begins like JSON and is not valid JSON. It must be ${wanted}`);
  }
  if (!Array.isArray(parsed)) throw new Error(`${where} must hold ${wanted}`);
  const wrong = parsed.findIndex((entry) => typeof entry !== 'string' && !isApiKey(entry));
  if (wrong >= 0) throw new Error(`entry ${wrong + 1} of ${where} is wrong: it must hold ${wanted}, and nothing else`);
  return parsed;
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
