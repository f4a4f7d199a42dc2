/** Cuts a text into pieces of about a size: between paragraphs, and not within a fenced block of code unless it is too long. */
export function toPieces(text: string, size: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let isFenced = false;
  for (const line of text.split(/(?<=\n)/).flatMap((each) => cut(each, 4 * size))) {
    if (/^ {0,3}(```|~~~)/.test(line)) isFenced = !isFenced;
    piece += line;
    const isBetween = !isFenced && line.trim() === '';
    if (piece.length < (isBetween ? size : 4 * size)) continue;
    pieces.push(piece);
    piece = '';
  }
  return piece === '' && pieces.length > 0 ? pieces : [...pieces, piece];
}

/** A line may be as long as the text. */
function cut(line: string, size: number): string[] {
  if (line.length <= size) return [line];
  return Array.from({ length: Math.ceil(line.length / size) }, (_, at) => line.slice(at * size, (at + 1) * size));
}
