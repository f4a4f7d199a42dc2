/** Which characters a chart may use: block characters, or those that every file and pipe can hold. */
export type Charset = 'blocks' | 'ascii';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const LEVELS = { blocks: '▁▂▃▄▅▆▇█', ascii: '_.-=+*%#' };

/** A horizontal bar for a share (0 to 1) of a width. What is not nothing is always seen. */
export function toBar(share: number, width: number, charset: Charset): string {
  const length = Math.min(1, Math.max(0, share)) * width;
  if (charset === 'ascii') return '#'.repeat(share > 0 ? Math.max(1, Math.round(length)) : 0);
  const eighths = share > 0 ? Math.max(1, Math.round(length * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** A line of small columns, one for each value, from zero to the greatest; many values share a column. */
export function toSparkline(values: readonly number[], width: number, charset: Charset): string {
  const columns = toColumns(values, width);
  const most = Math.max(...columns);
  const levels = [...LEVELS[charset]];
  return columns
    .map((value) => levels[most === 0 ? 0 : Math.min(levels.length - 1, Math.floor((value / most) * levels.length))])
    .join('');
}

function toColumns(values: readonly number[], width: number): number[] {
  if (values.length <= width) return [...values];
  return Array.from({ length: width }, (_, column) => {
    const part = values.slice(
      Math.floor((column * values.length) / width),
      Math.floor(((column + 1) * values.length) / width),
    );
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
