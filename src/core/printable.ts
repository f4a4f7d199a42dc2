// What stands for nothing that a reader sees, and may still move or hide what does: zero-width characters, marks of the
// direction of writing, tags, fillers and line separators; and control characters, but for those below the space. Emoji are
// let be: they are put together with two of these.
const OF_EMOJI = String.raw`(?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}\ufe0f?\p{EMod}?)\u200d(?=\p{ExtPict})`;
const UNSEEN = String.raw`[\x7f-\x9f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]`;

/** Finds what must not reach a terminal, in text that may have several lines and tabs. */
export const UNPRINTABLE: RegExp = new RegExp(String.raw`(?!${OF_EMOJI})(?:[\x00-\x08\x0b-\x1f]|${UNSEEN})`, 'gu');

// JSON escapes the control characters below the space by itself.
const UNPRINTABLE_IN_JSON = new RegExp(`(?!${OF_EMOJI})${UNSEEN}`, 'gu');

/** Text that others chose, made safe for the log, which is JSON. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE_IN_JSON, encodeURIComponent);
}
