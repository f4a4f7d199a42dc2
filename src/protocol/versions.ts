/** Compares versions such as `1.10.0` for sorting, the oldest first. As numbers: 1.10.0 is newer than 1.9.0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  return left.map((number, at) => number - (right[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

// Servers of others may write what is not three numbers; such versions are still sorted the same way every time.
function numbersOf(version: string): number[] {
  const parts = version.split('.');
  return [0, 1, 2].map((at) => Number.parseInt(parts[at] ?? '', 10) || 0);
}
