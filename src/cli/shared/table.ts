/** Rows as text, each column as wide as its widest cell; the last one is left as it is. */
export function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
      )
      .join('  ')
      .trimEnd(),
  );
}

const ESCAPES = /\x1b\[[0-9;]*m/g;

function widthOf(cell: string): number {
  return cell.replace(ESCAPES, '').length;
}
