import { isObject } from '../../protocol/index.ts';

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
