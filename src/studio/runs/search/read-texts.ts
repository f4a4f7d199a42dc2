import { closeSync, constants, openSync, readSync } from 'node:fs';

const LINE_BREAK = 10;
// Most records fit, and larger ones come in pieces of this size.
const memory = Buffer.allocUnsafeSlow(1024 * 1024);

/**
 * The text of a file of lines, in pieces of whole lines; nothing if it is not there. It is read synchronously: opening a small file
 * otherwise takes ten times as long as reading it.
 */
export function* readTexts(path: string): Generator<string, void> {
  const file = open(path);
  if (file === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const size = readSync(file, memory, 0, memory.length, null);
      const piece = memory.subarray(0, size);
      const end = piece.lastIndexOf(LINE_BREAK) + 1;
      // What stands behind the last line break of a file is not whole.
      if (end > 0) yield Buffer.concat([rest, piece.subarray(0, end)]).toString();
      if (size < memory.length) return;
      rest = Buffer.concat(end > 0 ? [piece.subarray(end)] : [rest, piece]);
    }
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    // Without blocking: what is there may be a pipe that nobody ever writes to.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
}
