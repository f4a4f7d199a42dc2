import { misuse } from '../shared/failure.ts';

const ALWAYS_ALLOWED = 128;
// Files, pipes and libraries need some as well.
const RESERVE = 64;

/** Refuses more connections than the system lets a process have, before they fail one by one. */
export function assertDescriptors(connections: number): void {
  // Every system allows this many, and asking takes a while.
  if (connections <= ALWAYS_ALLOWED) return;
  const limit = openFilesLimit();
  if (connections + RESERVE <= limit) return;
  throw misuse(
    `${connections} connections need as many file descriptors, and this shell allows ${limit}. ` +
      `Raise it with: ulimit -n ${connections + 1_000}`,
  );
}

function openFilesLimit(): number {
  // Windows has no such limit.
  const report = process.report?.getReport() as
    | { userLimits?: { open_files?: { soft?: number | string } } }
    | undefined;
  const soft = report?.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
