// Enough for a small board, and more than prose has by chance.
const LINES = 3;
const LOOKED_AT = 20_000;

/** Whether a text is drawn with characters, a board or a table, so that its columns must stand below each other. */
export function isDrawn(text: string): boolean {
  let same = 0;
  let length = -1;
  for (const line of text.slice(0, LOOKED_AT).split('\n')) {
    const width = line.trimEnd().length;
    same = width === length && width > 2 ? same + 1 : 1;
    length = width;
    if (same >= LINES) return true;
    if (/^\s*[│┃|+┌├└╔║#*]/.test(line) && /[│┃|+┐┤┘╗║#*]\s*$/.test(line) && width > 4) return true;
  }
  return false;
}
