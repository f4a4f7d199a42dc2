import type { JsonValue } from '../../protocol/index.ts';
import type { PlacedDifference } from '../../records/index.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import type { Colors } from '../shared/terminal.ts';
import type { Replay } from './replay-episode.ts';

// Enough of a text to see where it differs.
const SHOWN = 300;
const BEFORE = 40;

/** What differs, for people. */
export function toText({ played, recorded, differences }: Replay, { red, green, dim }: Colors): string[] {
  const all = recorded === 1 ? '1 call' : `${recorded} calls`;
  const count = played === recorded ? all : `${played} of ${all}`;
  if (differences.length === 0) return [green(`${count} played again: the same as recorded.`)];
  return [
    ...differences.flatMap((difference) => [
      red(placeOf(difference)),
      `  ${dim('recorded')} ${shown(difference.recorded, difference.now)}`,
      `  ${dim('now')}      ${shown(difference.now, difference.recorded)}`,
    ]),
    `${count} played again, ${differences.length === 1 ? '1 difference' : `${differences.length} differences`}.`,
  ];
}

function placeOf({ call, tool, what }: PlacedDifference): string {
  if (what === 'calls') return 'the episode finished early (calls made)';
  return call === 0 ? `prompt: ${what}` : toSafeText(`call ${call} (${tool}): ${what}`);
}

/** A value; of a long text the part in which it differs from another. */
function shown(value: JsonValue, other: JsonValue): string {
  if (typeof value !== 'string') return toSafeJson(value);
  const from = typeof other === 'string' ? Math.max(0, commonStart(value, other) - BEFORE) : 0;
  const cut = value.slice(from, from + SHOWN);
  return `${from > 0 ? '…' : ''}${toSafeJson(cut)}${from + SHOWN < value.length ? '…' : ''}`;
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
