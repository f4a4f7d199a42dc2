import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { isLocalRef, resolveRef, toPointerSteps } from './json-pointer.ts';

const ajv = new Ajv2020({ strict: false });
const found = { const: 'found' };

// Parsed, because only JSON can give an object a key called __proto__.
const OWN_PROTO = JSON.parse('{"$defs": {"__proto__": {"const": "found"}}}');

test.each([
  ['', []],
  ['/', ['']],
  ['/a', ['a']],
  ['/a/0/b', ['a', '0', 'b']],
  ['/a//b', ['a', '', 'b']],
  ['/a~1b', ['a/b']],
  ['/a~0b', ['a~b']],
  ['/~01', ['~1']],
  ['/50%/%20', ['50%', '%20']],
])('the pointer %j has the steps %j', (pointer, steps) => {
  expect(toPointerSteps(pointer)).toEqual(steps);
});

test('the whole document is named by #', () => {
  expect(resolveRef(found, '#')).toBe(found);
});

test.each([
  ['a name', '#/$defs/A', { $defs: { A: found } }],
  ['a name with a slash', '#/$defs/a~1b', { $defs: { 'a/b': found } }],
  ['a name with a tilde', '#/$defs/a~0b', { $defs: { 'a~b': found } }],
  ['a name that looks like an escape', '#/$defs/~01', { $defs: { '~1': found } }],
  ['a name with an escaped space', '#/$defs/a%20b', { $defs: { 'a b': found } }],
  ['a name with an escaped percent sign', '#/$defs/50%25', { $defs: { '50%': found } }],
  ['an escape that is escaped once more', '#/$defs/a%7E1b', { $defs: { 'a/b': found } }],
  ['a name that only looks escaped twice', '#/$defs/a~0%31b', { $defs: { 'a~1b': found } }],
  ['a name with an escaped slash', '#/$defs/a%2Fb', { $defs: { 'a/b': found } }],
  ['a place in a list', '#/anyOf/1/items', { anyOf: [{}, { items: found }] }],
  ['an empty name', '#/$defs/', { $defs: { '': found } }],
  ['a name of its own that other objects inherit', '#/$defs/constructor', { $defs: { constructor: found } }],
  ['its own __proto__', '#/$defs/__proto__', OWN_PROTO],
])('%s is found where Ajv finds it', (_what, ref, root) => {
  expect(resolveRef(root, ref)).toEqual(found);
  const validate = ajv.compile({ ...root, properties: { it: { $ref: ref } } });
  expect([{ it: 'found' }, { it: 'lost' }].map((value) => validate(value))).toEqual([true, false]);
});

test('a percent sign that escapes nothing stands for itself', () => {
  expect(resolveRef({ $defs: { '50%': found } }, '#/$defs/50%')).toBe(found);
  expect(resolveRef({ $defs: { '%zz/~': found } }, '#/$defs/%zz~1~0')).toBe(found);
});

test.each([
  '#/$defs/B',
  '#/$defs/A/const/length',
  '#/$defs/A/const',
  '#/$defs/list',
  '#/$defs/list/2',
  '#/$defs/list/length',
  '#/$defs/constructor',
  '#/$defs/__proto__',
  '#/constructor/prototype',
  '#A',
  '$defs/A',
  '/$defs/A',
  'https://example.org/schema#/$defs/A',
  '',
])('%j leads to no schema of the document', (ref) => {
  expect(resolveRef({ $defs: { A: found, list: [found, true] } }, ref)).toBeUndefined();
});

test.each([
  ['#', true],
  ['#/$defs/A', true],
  ['#A', false],
  ['other.json', false],
])('%j points into its own document: %j', (ref, expected) => {
  expect(isLocalRef(ref)).toBe(expected);
});
