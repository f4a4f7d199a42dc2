import { cutText } from '../protocol/index.ts';
import { formsOf } from './secret-forms.ts';
import { LONGEST_WINDOW, SHORTEST_TEXT, TextFinder, type WantedText } from './text-finder.ts';
import { viewsOf } from './text-views.ts';

/** The secrets of one episode, by name. */
export type Secrets = Readonly<Record<string, string>>;

/** How many secrets a session or a call takes: each is looked for in every line of the log and in every error. */
export const MAX_SECRETS = 100;

/** How long one of them may be; a header has no more room for all of them. */
export const MAX_SECRET_CHARACTERS = 65_536;

// Longer than anyone reads. A client that chooses both text and secrets must not decide how long the search takes.
const MAX_CLEAN_CHARACTERS = 65_536;

/** How much beyond its end is needed to find what begins in a text and is cut off there; an escape takes up to 12 characters for one. */
export const REDACTION_ROOM: number = LONGEST_WINDOW * 12;

const MARK = '[secret]';

/**
 * The same text without any of the secrets' values, in whichever form; where there are secrets, no more of it than is worth a search.
 * Shorter values are words of ordinary text, and stay: hiding every "a" would hide the message instead.
 */
export function redact(value: string, secrets: Secrets): string {
  if (value.length <= MAX_CLEAN_CHARACTERS || finderOf(secrets) === undefined) return redactWhole(value, secrets);
  return `${redactStart(value, MAX_CLEAN_CHARACTERS, secrets)}…`;
}

/** As many characters of a text, without those of secrets that begin among them and end beyond. */
export function redactStart(text: string, characters: number, secrets: Secrets): string {
  const finder = finderOf(secrets);
  const hidden = finder && findIn(text.slice(0, characters + REDACTION_ROOM), finder);
  const shown = cutText(text, characters, '');
  return hidden === undefined ? shown : hide(shown, hidden);
}

/** The same for what is written down whole, where nobody waits: it takes time in proportion to the text. */
export function redactWhole(text: string, secrets: Secrets): string {
  const finder = finderOf(secrets);
  const hidden = finder && findIn(text, finder);
  return hidden === undefined ? text : hide(text, hidden);
}

// Made for those who need it, and gone with the secrets: most sessions write nothing.
const finders = new WeakMap<Secrets, TextFinder>();

function finderOf(secrets: Secrets): TextFinder | undefined {
  const known = finders.get(secrets);
  if (known !== undefined) return known;
  const values = Object.values(secrets).filter(({ length }) => length >= SHORTEST_TEXT);
  if (values.length === 0) return undefined;
  const finder = new TextFinder(eachForm(values));
  finders.set(secrets, finder);
  return finder;
}

function* eachForm(values: readonly string[]): Generator<WantedText> {
  for (const value of new Set(values)) yield* formsOf(value);
}

/** A 1 for each character that belongs to a secret; undefined if there is none. */
function findIn(text: string, finder: TextFinder): Uint8Array | undefined {
  let hidden: Uint8Array | undefined;
  for (const view of viewsOf(text)) {
    const { origins } = view;
    // Everything between these two is filled already. Windows of one length come in order: each character is filled once.
    let [last, filled] = [0, 0];
    finder.find(view.text, (start, end) => {
      hidden ??= new Uint8Array(text.length);
      const [from, to] = origins === undefined ? [start, end] : [origins[start] as number, origins[end] as number];
      if (from < last || from > filled) [last, filled] = [from, from];
      if (to > filled) hidden.fill(1, filled, to);
      filled = Math.max(filled, to);
    });
  }
  return hidden;
}

/** The text with a mark for each run of hidden characters. */
function hide(text: string, hidden: Uint8Array): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const found = hidden.indexOf(1, at);
    const start = found === -1 ? text.length : Math.min(found, text.length);
    pieces.push(text.slice(at, start));
    if (start === text.length) break;
    pieces.push(MARK);
    const end = hidden.indexOf(0, start);
    at = end === -1 ? text.length : end;
  }
  return pieces.join('');
}
