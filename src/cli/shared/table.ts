/** Rows as text, each column as wide as its widest cell; the last one is left as it is, or broken to fit into `columns`. */
export function toTable(rows: readonly (readonly string[])[], columns: number = Number.POSITIVE_INFINITY): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  return rows.flatMap((row) => {
    const last = row.at(-1) ?? '';
    const head = row
      .slice(0, -1)
      .map((cell, column) => `${cell}${' '.repeat((widths[column] ?? 0) - widthOf(cell))}  `)
      .join('');
    const indent = ' '.repeat(widthOf(head));
    const [first = '', ...others] = wrap(last, columns - indent.length);
    return [`${head}${first}`.trimEnd(), ...others.map((line) => indent + line)];
  });
}

const ESCAPES = /\x1b\[[0-9;]*m/g;

function widthOf(cell: string): number {
  return cell.replace(ESCAPES, '').length;
}

// Narrower, a column of single words would be harder to read than lines that the terminal breaks.
const LEAST_WIDTH = 20;

function wrap(text: string, width: number): string[] {
  if (width < LEAST_WIDTH || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
