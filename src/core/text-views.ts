/** A text, or what it says once its escapes are read. */
export interface TextView {
  readonly text: string;
  /** Where each character begins in the text that was given, and where the last one ends; undefined for that text itself. */
  readonly origins: Int32Array | undefined;
}

// JSON in a message that is written as JSON; nobody goes deeper in one line.
const DEPTH = 2;

/** A text as it is, and with the escapes of JSON, of JavaScript's strings, of URLs and of forms read, also one within another. */
export function* viewsOf(text: string): Generator<TextView> {
  let view: TextView | undefined = { text, origins: undefined };
  for (let depth = 0; view !== undefined; depth += 1) {
    yield view;
    const decoded = read(view, PERCENT);
    if (decoded !== undefined) yield decoded;
    if (view.text.includes('+')) {
      // First, because a form escapes a plus that is none of these.
      const spaced = { ...view, text: view.text.replaceAll('+', ' ') };
      yield read(spaced, PERCENT) ?? spaced;
    }
    view = depth < DEPTH ? read(view, BACKSLASH) : undefined;
  }
}

/** A way to escape characters. */
interface Escapes {
  /** What each of them begins with: most texts have none. */
  readonly mark: string;
  readonly pattern: RegExp;
  readonly toPlain: (escaped: string) => string;
}

const PERCENT: Escapes = {
  mark: '%',
  // One character in UTF-8 at a time, so that it is known where each of them comes from.
  pattern: /%[0-7][\da-f]|%[cd][\da-f]%[\da-f]{2}|%e[\da-f](?:%[\da-f]{2}){2}|%f[\da-f](?:%[\da-f]{2}){3}/gi,
  toPlain: readPercentEscape,
};

function readPercentEscape(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    // No character in UTF-8, so it stands for itself.
    return escaped;
  }
}

const BACKSLASH: Escapes = {
  mark: '\\',
  pattern: /\\(?:u[\da-f]{4}|x[\da-f]{2}|[^ux])/gi,
  toPlain: readBackslashEscape,
};

const CONTROL_CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' }),
);

function readBackslashEscape(escaped: string): string {
  const named = escaped.slice(1);
  if (named.length > 1) return String.fromCharCode(Number.parseInt(named.slice(1), 16));
  return CONTROL_CHARACTERS.get(named) ?? named;
}

/** The view with its escapes read; undefined if there are none. */
function read({ text, origins }: TextView, { mark, pattern, toPlain }: Escapes): TextView | undefined {
  if (!text.includes(mark)) return undefined;
  const pieces: string[] = [];
  const from = new Int32Array(text.length + 1);
  let length = 0;
  let read = 0;
  const add = (piece: string, start: number, step: 0 | 1) => {
    pieces.push(piece);
    for (let at = 0; at < piece.length; at += 1) {
      const origin = start + at * step;
      from[length] = origins === undefined ? origin : (origins[origin] as number);
      length += 1;
    }
  };
  for (const { 0: escaped, index } of text.matchAll(pattern)) {
    add(text.slice(read, index), read, 1);
    add(toPlain(escaped), index, 0);
    read = index + escaped.length;
  }
  if (read === 0) return undefined;
  add(text.slice(read), read, 1);
  from[length] = origins === undefined ? text.length : (origins[text.length] as number);
  return { text: pieces.join(''), origins: from.subarray(0, length + 1) };
}
