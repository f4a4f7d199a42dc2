import { closeSync, openSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { AppendFailure, AppendOrder, AppendReport } from './appender.ts';
import { PRIVATE_FILE } from './blobs.ts';

// The thread of a ThreadAppender: it waits for the disk, so that nobody else does.

parentPort?.on('message', ({ files, bytes }: AppendOrder) => {
  let at = 0;
  const report: AppendReport = files.map(({ path, isNew, length }) => {
    at += length;
    return append(path, bytes.subarray(at - length, at), isNew ? 'ax' : 'a');
  });
  parentPort?.postMessage(report);
});

function append(path: string, bytes: Uint8Array, flags: 'ax' | 'a'): AppendFailure | undefined {
  try {
    const fd = openSync(path, flags, PRIVATE_FILE);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
    return undefined;
  } catch (thrown) {
    const { message, code } = thrown as NodeJS.ErrnoException;
    return { message, code };
  }
}
