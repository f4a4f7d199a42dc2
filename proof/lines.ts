// A line that is longer than this says by its beginning what it is.
const MAX_CHARACTERS = 64 * 1024;

/** Puts text that comes in pieces together into lines, each given when its end is there. What is too long is cut. */
export function inLines(onLine: (line: string) => void): (piece: string) => void {
  let line = '';
  return (piece) => {
    const [end = '', ...others] = piece.split('\n');
    line = join(line, end);
    for (const next of others) {
      onLine(line);
      line = join('', next);
    }
  };
}

function join(begun: string, rest: string): string {
  return begun.length < MAX_CHARACTERS ? (begun + rest).slice(0, MAX_CHARACTERS) : begun;
}
