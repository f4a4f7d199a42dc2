import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test('what hides one secret is not searched for the next', () => {
  const secrets = { first: 'hunter22', second: 'secr', third: '[secret]' };
  expect(redact('hunter22 secr hunter22', secrets)).toBe('[secret] [secret] [secret]');
});

test('many secrets do not make a text grow', () => {
  const secrets = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [index, index === 0 ? 'aaaaa' : 'secr']),
  );
  expect(redact('aaaaa,'.repeat(1_000), secrets)).toBe('[secret],'.repeat(1_000));
});

test('a secret is hidden in JSON as well, where it is written otherwise', () => {
  expect(redact(JSON.stringify({ key: 'a"b\nc' }), { key: 'a"b\nc' })).toBe('{"key":"[secret]"}');
});

test('a text without secrets is itself, however long', () => {
  const text = 'x'.repeat(100_000);
  expect(redact(text, {})).toBe(text);
  expect(redact('short \uffff', { key: 'hunter22' })).toBe('short \uffff');
});

test.each([0, 1, 7, 8, 9])('a long text is cut where half a secret would be left, %i characters before', (before) => {
  const text = `${'x'.repeat(65_536 - before)}hunter22${'y'.repeat(100_000)}`;
  const clean = redact(text, { key: 'hunter22' });
  expect(clean).not.toMatch(/h|u|n/);
  expect(clean.endsWith('…')).toBe(true);
  expect(clean.length).toBeLessThanOrEqual(65_536 + 8 + 1);
});

const KEY = 'pass/word+1?é';
const BASE64_KEY = Buffer.from(KEY).toString('base64');

test.each([
  ['with a line break after it', `${KEY}\n`, '[secret]'],
  ['percent-encoded', encodeURIComponent(KEY), '[secret]'],
  ['percent-encoded in lower case', encodeURIComponent(KEY).toLowerCase(), '[secret]'],
  ['percent-encoded where it need not be', '%70ass%2fword%2B1%3F%c3%A9', '[secret]'],
  ['as a form sends it', new URLSearchParams({ k: `two ${KEY}` }).toString(), 'k=two+[secret]'],
  ['in JSON with escapes', '"pass\\/word+1?\\u00e9"', '"[secret]"'],
  [
    'in JSON within JSON',
    JSON.stringify({ body: '{"k":"pass\\/word+1?\\u00e9"}' }),
    '{"body":"{\\"k\\":\\"[secret]\\"}"}',
  ],
  ['in base64', BASE64_KEY, '[secret]'],
  ['in base64 without padding', BASE64_KEY.replaceAll('=', ''), '[secret]'],
  ['in base64 for URLs', Buffer.from(KEY).toString('base64url'), '[secret]'],
  ['in base64 within a URL', encodeURIComponent(BASE64_KEY), '[secret]'],
  ['in hex', Buffer.from(KEY).toString('hex'), '[secret]'],
  ['in hex in upper case', Buffer.from(KEY).toString('hex').toUpperCase(), '[secret]'],
])('a secret is hidden %s', (_how, text, clean) => {
  expect(redact(`before ${text} after`, { key: `${KEY}\n`, two: 'two words' })).toBe(`before ${clean} after`);
});

test.each(['a', 'ab', 'abc', 'abcd'])('a secret is hidden in basic authorization, of user %s', (user) => {
  const header = Buffer.from(`${user}:${KEY}`).toString('base64');
  const clean = redact(header, { key: KEY });
  expect(clean).toMatch(/^.{2,8}\[secret\]$/);
  // What is left are the user's name and at most 4 bits of the secret.
  expect(Buffer.from(clean.replace('[secret]', ''), 'base64').toString()).toMatch(new RegExp(`^${user}`));
});

test('secrets that overlap are hidden together', () => {
  expect(redact('abcdefgh', { one: 'abcde', two: 'defgh' })).toBe('[secret]');
  expect(redact('x abababab y', { one: 'abab' })).toBe('x [secret] y');
});

test('a long secret is hidden also where it was cut', () => {
  const key = Array.from({ length: 200 }, (_, index) => index.toString(36)).join('');
  expect(redact(`${key.slice(0, 96)}…`, { key })).toBe('[secret]…');
  const huge = Array.from({ length: 3_000 }, (_, index) => index.toString(36)).join('');
  expect(redact(`<${huge}>`, { huge })).toBe('<[secret]>');
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    expect(redact(Buffer.from(`u:${huge}`).toString(encoding), { huge }).length).toBeLessThan(20);
});

/** The same, slowly: every form of every secret is looked for at every place. */
function redactSlowly(text: string, secrets: readonly string[]): string {
  const hidden = new Array<boolean>(text.length).fill(false);
  for (const form of secrets.flatMap(formsOf)) {
    if (form.length < 4) continue;
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) hidden.fill(true, at, at + form.length);
  }
  return [...text].map((character, at) => (hidden[at] ? (hidden[at - 1] ? '' : '[secret]') : character)).join('');
}

function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  const base64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const encoded = bytes.toString('base64');
    const certain = encoded.slice([0, 2, 3][before], Math.floor((bytes.length * 8) / 6));
    return [certain, ...(before === 0 ? [encoded, encoded.replaceAll('=', '')] : [])];
  });
  const urlSafe = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const percent = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const lower = [percent, form].map((text) => text.replace(/%../g, (code) => code.toLowerCase()));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...urlSafe,
    percent,
    form,
    ...lower,
  ];
}

// Few letters, so that secrets overlap, begin alike, and stand within each other.
const letters = (units: readonly string[], size: { minLength: number; maxLength: number }) =>
  fc.array(fc.constantFrom(...units), size).map((parts) => parts.join(''));

test('what is hidden of plain secrets is what a slow search hides', () => {
  const secrets = fc.array(letters(['a', 'b'], { minLength: 4, maxLength: 20 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(secrets, letters(['a', 'b', 'aabb', ' '], { minLength: 0, maxLength: 80 }), (values, text) => {
      expect(redact(text, Object.fromEntries(values.entries()))).toBe(redactSlowly(text, values));
    }),
    { numRuns: 2_000 },
  );
});

test('no form of a secret that a slow search finds is left', () => {
  const units = [
    'a',
    'b',
    ' ',
    '%',
    '+',
    '/',
    '"',
    '\\',
    '\n',
    'é',
    '😀',
    '\u2028',
    'key',
    '0123456789abcdef'.repeat(5),
  ];
  const secret = letters(units, { minLength: 1, maxLength: 30 }).filter((text) => text.trim().length >= 4);
  const filler = letters(['a', ' ', '%', '\\', '+', 'x'], { minLength: 0, maxLength: 6 });
  const pieces = fc.array(fc.tuple(filler, fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), pieces, (values, parts) => {
      const text = parts
        .map(([before, which, how]) => {
          const forms = formsOf(values[which % values.length] ?? '');
          return before + (forms[how % forms.length] ?? '');
        })
        .join('');
      const clean = redact(text, Object.fromEntries(values.entries()));
      // Where a mark is, something was; what is between the marks has to be free of them.
      for (const rest of clean.split('[secret]')) expect(redactSlowly(rest, values)).toBe(rest);
      expect(clean.length).toBeLessThanOrEqual(text.length * 2 + 8);
      if (!text.includes('[secret]')) expect(clean).toContain('[secret]');
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['alike', (index: number) => 'a'.repeat(32_768 - index), 'a'.repeat(65_536)],
  ['alike but for the end', (index: number) => `${'ab'.repeat(16_000)}${index}`, 'ab'.repeat(32_768)],
  ['in pieces', (index: number) => `${'a'.repeat(2_000)}${index}${'b'.repeat(2_000)}`, 'a'.repeat(65_536)],
])('twenty long secrets that are %s are found in moments', (_how, toSecret, text) => {
  const time = (secrets: Record<string, string>, value: string) => {
    const before = process.cpuUsage();
    redact(value, secrets);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const long = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [index, toSecret(index)]));
  // It took half a minute, and takes some 50 ms.
  expect(time(long, text)).toBeLessThan(5_000);
});

test('secrets of the greatest number and length are searched for at little cost', () => {
  const secrets = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [index, `${index}ab`.repeat(30_000).slice(0, 65_536)]),
  );
  expect(redact(`${secrets[50]}`, secrets)).toBe('[secret]');
});
