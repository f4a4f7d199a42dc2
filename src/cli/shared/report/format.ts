/** A whole number with its thousands apart; small ones with a decimal. */
export function formatNumber(value: number): string {
  const digits = value > 0 && value < 100 && !Number.isInteger(value) ? 1 : 0;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** How many there are of something: 1 episode, 2,000 episodes. */
export function formatCount(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** A time with three digits and the unit that suits it. */
export function formatMs(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1_000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : 2)} ms`;
}

/** The same, from microseconds. */
export function formatMicros(micros: number): string {
  return formatMs(micros / 1000);
}

/** A number of bytes with the unit that suits it. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power > 0 && value < 100 ? 1 : 0)} ${units[power]}`;
}

/** A share of a whole in per cent; small ones do not become 0. */
export function formatShare(share: number): string {
  const percent = share * 100;
  return `${percent > 0 && percent < 0.1 ? '< 0.1' : percent.toFixed(1)} %`;
}

/** A time of any length: 250 ms, 3.20 s, 4 min 5 s, 2 h 10 min. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return formatMs(ms);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
