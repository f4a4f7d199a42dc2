import { SourceMap, type SourceMapPayload } from 'node:module';

/** A stretch of a script and how often it ran, as V8 tells it. */
export interface CountedRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** A script as it runs, and where in its source each part of it comes from. */
export interface Compiled {
  readonly script: string;
  readonly map: SourceMapPayload;
}

/** The lines of a source that ran: those with code on them, a bracket at least, that V8 says has run. */
export function linesThatRan({ script, map }: Compiled, ranges: readonly CountedRange[]): Set<number> {
  const sourceMap = new SourceMap(map);
  const counted = ranges.map((range) => (range.count === 0 ? toEndOfBlock(script, range) : range));
  const ran = new Set<number>();
  let lineOffset = 0;
  for (const [line, text] of script.split('\n').entries()) {
    for (let column = 0; column < text.length; column += 1) {
      const entry = sourceMap.findEntry(line, column);
      // Only where something of the source begins: what is between, comments for example, would count for what is before it.
      if (!('originalLine' in entry) || entry.generatedLine !== line || entry.generatedColumn !== column) continue;
      // The compiler says of comments where they come from; and V8 counts what stands between expressions also where they did not run.
      if (NO_CODE.test(text.slice(column))) continue;
      if (countAt(lineOffset + column, counted) === 0) continue;
      ran.add(entry.originalLine + 1);
    }
    lineOffset += text.length + 1;
  }
  return ran;
}

/**
 * What stands behind a `return` does not run until its block ends. V8 says so only until the first branch in there; where the block ends, the
 * compiler's indentation tells.
 */
function toEndOfBlock(script: string, range: CountedRange): CountedRange {
  const { startOffset, endOffset } = range;
  const indented = /^\n+( +)/.exec(script.slice(startOffset, endOffset));
  if (indented?.[1] === undefined) return range;
  const length = script.slice(endOffset).search(new RegExp(`\n {0,${indented[1].length - 1}}\\S`));
  return { ...range, endOffset: length === -1 ? script.length : endOffset + length };
}

const NO_CODE = /^(\/\/|\/\*|;|\s)/;

/** How often the character at an offset ran: the smallest range around it knows. */
function countAt(offset: number, ranges: readonly CountedRange[]): number {
  let innermost: CountedRange | undefined;
  for (const range of ranges) {
    if (offset < range.startOffset || offset >= range.endOffset) continue;
    if (innermost === undefined || lengthOf(range) <= lengthOf(innermost)) innermost = range;
  }
  return innermost?.count ?? 0;
}

function lengthOf({ startOffset, endOffset }: CountedRange): number {
  return endOffset - startOffset;
}
