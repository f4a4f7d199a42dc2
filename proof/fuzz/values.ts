import type { Random } from '../random.ts';

// JSON text rather than values: much of it cannot be made by JSON.stringify.
const ODD_JSON = [
  'null',
  'true',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e999',
  '-1e999',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1e-400',
  '""',
  '" "',
  '"0"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u2028\\u2029\\u0085\\ufeff"',
  '"🎲訓練場"',
  '"__proto__"',
  '"constructor"',
  '[]',
  '{}',
  '[[[[[[]]]]]]',
  '{"":""}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"hasOwnProperty":null,"valueOf":[]}',
  '{"a":1,"a":2}',
  '{"$ref":"#"}',
  '{"then":{}}',
] as const;

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  '',
  ' ',
  'a'.repeat(300),
  'ключ',
  '\\u0000',
] as const;

/** A body of which nothing is certain. */
export function oddBody(fields: Readonly<Record<string, unknown>>, random: Random): Buffer {
  const text = random.chance(0.75) ? oddObject(fields, random) : oddJson(random);
  switch (random.below(14)) {
    case 0:
      return Buffer.from(text.slice(0, random.below(text.length + 1)));
    case 1:
      return Buffer.from(`\ufeff${text}`);
    case 2:
      return Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('}')]);
    case 3:
      return Buffer.from(text, 'utf16le');
    case 4:
      return Buffer.alloc(0);
    case 5:
      return Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)));
    default:
      return Buffer.from(text);
  }
}

// A JSON object, written with some of its values replaced, and with keys that should not be there.
function oddObject(fields: Readonly<Record<string, unknown>>, random: Random): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (random.chance(0.12)) continue;
    parts.push(`${JSON.stringify(key)}:${random.chance(0.3) ? oddJson(random) : JSON.stringify(value)}`);
  }
  if (random.chance(0.3)) parts.push(`"${random.pick(KEYS)}":${oddJson(random)}`);
  return `{${parts.join(',')}}`;
}

// A value that servers rarely see, as JSON text.
function oddJson(random: Random): string {
  const kind = random.below(40);
  if (kind === 0) return '['.repeat(20_000) + ']'.repeat(20_000);
  if (kind === 1) return `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  if (kind === 2) return `"${'x'.repeat(random.below(200_000))}"`;
  if (kind === 3) return `[${'0,'.repeat(random.below(20_000))}0]`;
  if (kind === 4) return `{"${random.pick(KEYS)}":${random.pick(ODD_JSON)}}`;
  return random.pick(ODD_JSON);
}

/** A call whose input could take very long to check: a tree with one wrong leaf, or a list in which everything is wrong. */
export function wideOrRecursiveCall(random: Random): Buffer {
  if (random.chance(0.5)) {
    const urls = Array.from({ length: random.below(20_000) }, () => '');
    return Buffer.from(JSON.stringify({ name: 'visit', input: { urls } }));
  }
  const depth = 1 + random.below(random.chance(0.2) ? 400 : 14);
  const wrong = random.pick(['{"kind":"leaf","value":"x"}', '{"kind":"twig"}', 'null', '{}']);
  const leaf = '{"kind":"leaf","value":1}';
  const tree = `${`{"kind":"node","left":${leaf},"right":`.repeat(depth)}${wrong}${'}'.repeat(depth)}`;
  return Buffer.from(`{"name":"grow","input":{"tree":${tree}}}`);
}
