/** At most so many characters of a text, and a mark where there was more; a surrogate pair is never cut in two. */
export function cutText(text: string, characters: number, mark = '…'): string {
  if (text.length <= characters) return text;
  const end = isHighSurrogate(text.charCodeAt(characters - 1)) ? characters - 1 : characters;
  // A copy, by way of bytes: a slice would keep the whole text in memory for as long as it lives.
  return UTF8.decode(new TextEncoder().encode(text.slice(0, end))) + mark;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
