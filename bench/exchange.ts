/** One request as bytes, and what its answer must contain. */
export interface Request {
  readonly bytes: string;
  readonly expect: string;
}

const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Whether all of an answer has come; `lastPiece` is the part of it that came last. */
export function isWhole(answer: string, lastPiece: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /content-length: (\d+)/i.exec(answer.slice(0, end));
  if (length !== null) return answer.length >= end + 4 + Number(length[1]);
  // The last piece alone tells the end of a chunked answer, unless that very end is split.
  return (lastPiece.length >= LAST_CHUNK.length ? lastPiece : answer).endsWith(LAST_CHUNK);
}
