import { isObject } from '../../protocol/index.ts';

/** How deep JSON may be nested. Inputs are refused at half of that; a body wraps them in a few levels of its own. */
export const MAX_LEVELS = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS_LIST = 0x5b;
const CLOSES_LIST = 0x5d;
const OPENS_OBJECT = 0x7b;
const CLOSES_OBJECT = 0x7d;

/**
 * What text has more of than should be parsed, if anything: levels, or objects and lists. 16 MB of brackets would take
 * seconds, and a gigabyte. It need not be JSON; then what counts is how far a parser could get.
 */
export function nestingExcess(text: string, maxContainers: number): 'levels' | 'containers' | undefined {
  // Most long bodies are long for their strings.
  if (!hasMoreThan(MAX_LEVELS, text)) return undefined;
  let levels = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === OPENS_OBJECT || code === OPENS_LIST) {
      levels += 1;
      containers += 1;
      if (levels > MAX_LEVELS) return 'levels';
      if (containers > maxContainers) return 'containers';
    } else if (code === CLOSES_OBJECT || code === CLOSES_LIST) {
      levels -= 1;
    }
  }
  return undefined;
}

/** Whether there are more brackets than that, in strings or outside; much quicker than to tell the one from the other. */
function hasMoreThan(brackets: number, text: string): boolean {
  let left = brackets;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && left >= 0; at = text.indexOf(bracket, at + 1)) left -= 1;
  }
  return left < 0;
}

/** The place of the quote that ends a string; the end of the text, if none does. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escape each other, not the quote.
    if ((at - 1 - before) % 2 === 0) return at;
  }
  return text.length;
}

/** Whether a key in a parsed value could reach an object's prototype where code copies it. */
export function reachesPrototype(value: unknown): boolean {
  const waiting = [value];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (typeof at !== 'object' || at === null) continue;
    if (Object.hasOwn(at, '__proto__')) return true;
    if (Object.hasOwn(at, 'constructor') && isObject(at.constructor) && Object.hasOwn(at.constructor, 'prototype'))
      return true;
    for (const inner of Array.isArray(at) ? at : Object.values(at))
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
  }
  return false;
}
