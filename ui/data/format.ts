const MINUS = '\u2212';

/** A reward with its sign, with two decimals unless it needs more; `none` where nothing was paid. */
export function formatReward(reward: number | null): string {
  if (reward === null) return 'none';
  const text = trimmed(Math.abs(reward));
  if (Number(text) === 0 && reward === 0) return '0.00';
  return `${reward < 0 ? MINUS : '+'}${text}`;
}

/** A number as people read it, with the sign of mathematics. */
export function formatNumber(value: number, digits = 3): string {
  const text = Math.abs(value) >= 10_000 ? formatCount(Math.abs(value)) : Math.abs(value).toFixed(digits);
  return value < 0 ? MINUS + text : text;
}

/** A count: exact while it is short, then in thousands and millions. */
export function formatCount(count: number): string {
  if (count < 10_000) return count.toLocaleString('en-US');
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 100_000 ? 1 : 0)} k`;
  return `${(count / 1_000_000).toFixed(count < 100_000_000 ? 1 : 0)} M`;
}

/** Tokens of a model, marked where they are an estimate because its server did not report them. */
export function formatTokens({ input, output, estimated }: Tokens): string {
  return `${formatCount(input)} in, ${formatCount(output)} out${estimated === true ? ' (estimated)' : ''}`;
}

interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly estimated?: boolean | undefined;
}

/** A time span. */
export function formatMs(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time span that may be shorter than a millisecond. */
export function formatLatency(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : formatMs(ms);
}

/** An amount of data. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** A share of 1. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === Math.round(percent)) return `${percent} %`;
  return `${percent < 0.1 ? percent.toPrecision(1) : percent.toFixed(1)} %`;
}

/** A price in dollars. */
export function formatUsd(usd: number): string {
  return `$ ${usd < 0.01 && usd > 0 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** A moment, in the time zone of the person. */
export function formatTime(at: number | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** One thing, or several of them. */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function trimmed(value: number): string {
  if (value >= 1000) return value.toFixed(0);
  const short = value.toFixed(2);
  if (Math.abs(Number(short) - value) < 1e-9) return short;
  const long = value.toPrecision(3);
  return long.includes('e') ? long : String(Number(long));
}
