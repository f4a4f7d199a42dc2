import type { problems } from '../problems.ts';

/** A right solution of every problem. */
export const solutions: Readonly<Record<keyof typeof problems, string>> = {
  roman: `
const VALUES = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
export function fromRoman(numeral) {
  const values = [...numeral].map((letter) => VALUES[letter]);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}`,
  ranges: `
export function formatRanges(numbers) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const runs = [];
  for (const number of sorted) {
    const run = runs.at(-1);
    if (run?.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  return runs.map((run) => (run.length > 2 ? run[0] + '..' + run.at(-1) : run.join(','))).join(',');
}`,
  duration: `
export function parseDuration(text) {
  const match = /^(?:(\\d+)d)? *(?:(\\d+)h)? *(?:(\\d+)m)? *(?:(\\d+)s)?$/.exec(text.trim());
  if (match === null || match.slice(1).every((part) => part === undefined)) return -1;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}`,
  brackets: `
const OPENED_BY = { ')': '(', ']': '[', '}': '{' };
export function isBalanced(text) {
  const open = [];
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if ('([{'.includes(character)) open.push(character);
    else if (character in OPENED_BY && open.pop() !== OPENED_BY[character]) return false;
  }
  return !quoted && open.length === 0;
}`,
  csv: `
export function parseCsvLine(line) {
  const fields = [''];
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (quoted && character === '"' && line[at + 1] === '"') fields[fields.length - 1] += line[at++];
    else if (character === '"') quoted = !quoted;
    else if (character === ',' && !quoted) fields.push('');
    else fields[fields.length - 1] += character;
  }
  return fields;
}`,
  'binary-search': `
export function findIndex(sorted, wanted) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted ? low : -1;
}`,
  'build-order': `
export function buildOrder(needs) {
  const order = [];
  const left = new Set(Object.keys(needs).sort());
  while (left.size > 0) {
    const next = [...left].find((name) => needs[name].every((needed) => !left.has(needed)));
    if (next === undefined) return [];
    left.delete(next);
    order.push(next);
  }
  return order;
}`,
  wrap: `
export function wrapText(text, width) {
  const lines = [];
  for (const word of text.split(/\\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = last + ' ' + word;
    else lines.push(word);
  }
  return lines;
}`,
};
