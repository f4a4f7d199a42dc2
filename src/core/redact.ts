import { cutText } from '../protocol/index.ts';

/** The secrets of one episode, by name. */
export type Secrets = Readonly<Record<string, string>>;

/** How many secrets a session or a call takes: each is looked for in every line of the log and in every error. */
export const MAX_SECRETS = 100;

/** How long one of them may be; a header has no more room for all of them. */
export const MAX_SECRET_CHARACTERS = 65_536;

// Shorter values are words of ordinary text; hiding every "a" would hide the message instead.
const SHORTEST_SECRET = 4;

// Longer than anyone reads. A client that chooses both text and secrets must not decide how long the search takes.
const MAX_CLEAN_CHARACTERS = 65_536;

// Stands for a hidden character until the end: as many as were hidden, so that the text does not grow with each secret, and
// in no text, since Unicode keeps it free.
const HIDDEN = '\uffff';

/** The same text without any of the secrets' values; where there are secrets, no more of it than is worth a search. */
export function redact(value: string, secrets: Secrets): string {
  const [longest, ...others] = searched(secrets);
  if (longest === undefined) return value;
  // With room for a secret that begins within the limit.
  const text = value.slice(0, MAX_CLEAN_CHARACTERS + longest.length);
  let clean = text;
  for (const secret of [longest, ...others]) {
    if (clean.includes(secret)) clean = clean.replaceAll(secret, HIDDEN.repeat(secret.length));
  }
  const isWhole = value.length <= MAX_CLEAN_CHARACTERS;
  if (isWhole && clean === text) return value;
  return (isWhole ? clean : cutText(clean, MAX_CLEAN_CHARACTERS)).replace(/\uffff+/g, '[secret]');
}

/** What to look for, in plain text and in JSON. The longest first: one that begins with another would leave its end behind. */
function searched(secrets: Secrets): string[] {
  const values = new Set<string>();
  for (const secret of Object.values(secrets)) {
    if (secret.length < SHORTEST_SECRET) continue;
    values.add(secret);
    values.add(JSON.stringify(secret).slice(1, -1));
  }
  return [...values].sort((a, b) => b.length - a.length);
}
