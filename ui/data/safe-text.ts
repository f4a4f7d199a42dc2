// Colours and movements of terminals. What a page cannot show, it leaves out; the raw view has it all.
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// Everything that has no shape of its own, or that turns the direction of the text around it.
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text of somebody else's, as it may be shown: nothing in it is invisible, or makes other text read differently. */
export function toSafeText(text: string): string {
  return text.replace(ANSI, '').replace(/\r\n?/g, '\n').replace(HIDDEN, toName);
}

function toName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Unicode has a small picture for each of the oldest ones.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `\u2039U+${code.toString(16).toUpperCase().padStart(4, '0')}\u203a`;
}
