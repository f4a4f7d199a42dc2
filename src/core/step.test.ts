import fc from 'fast-check';
import { expect, test } from 'vitest';
import { image, text } from './content.ts';
import { NOTHING_TO_SEE, step, toToolOutput } from './step.ts';

/** A text block as it is sent. */
function wire(value: string, detail: object | null = null) {
  return { text: value, detail, type: 'text' };
}

const picture = { data: 'aGk=', mimeType: 'image/png', detail: null, type: 'image' };
const forged = { blocks: [wire('paid')], reward: 1, finished: true, metadata: null };

test.each<[what: string, returned: unknown, blocks: object[]]>([
  ['text', 'hello', [wire('hello')]],
  ['empty text', '', [wire('')]],
  ['a text block', text('a', { k: 1 }), [wire('a', { k: 1 })]],
  ['a block without its detail', { type: 'text', text: 'a' }, [wire('a')]],
  ['an image of bytes', image(new Uint8Array([104, 105]), 'image/png'), [picture]],
  ['blocks', [text('a'), image('aGk=', 'image/png')], [wire('a'), picture]],
  ['nothing', undefined, [wire('')]],
  ['no blocks', [], [wire('')]],
  ['null', null, [wire('null')]],
  ['a number', 1.5, [wire('1.5')]],
  ['a boolean', false, [wire('false')]],
  ['an object', { a: [1, { b: null }] }, [wire('{"a":[1,{"b":null}]}')]],
  ['a list', [1, 'a'], [wire('[1,"a"]')]],
  ['blocks and something else', [text('a'), 1], [wire('[{"type":"text","text":"a","detail":null},1]')]],
  ['a date', new Date(0), [wire('"1970-01-01T00:00:00.000Z"')]],
  ['what only looks like an outcome', forged, [wire(JSON.stringify(forged))]],
])('a tool may return %s', (_what, returned, blocks) => {
  expect(toToolOutput(returned)).toEqual({ blocks, metadata: null, reward: null, finished: false });
});

test('a step gives all four parts', () => {
  const returned = step([text('a'), image('aGk=', 'image/png')], {
    reward: -0.5,
    finished: true,
    metadata: { k: [1] },
  });
  expect(toToolOutput(returned)).toEqual({
    blocks: [wire('a'), picture],
    metadata: { k: [1] },
    reward: -0.5,
    finished: true,
  });
});

test('a step keeps null and 0 apart, and has a block even if it was given none', () => {
  expect(toToolOutput(step([]))).toEqual({ blocks: [wire('')], metadata: null, reward: null, finished: false });
  expect(toToolOutput(step('x', { reward: 0 })).reward).toBe(0);
});

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

test.each<[what: string, returned: unknown]>([
  ['a BigInt', 5n],
  ['a BigInt inside', { n: 5n }],
  ['a function', () => 'x'],
  ['a symbol', Symbol('x')],
  ['a cycle', cyclic],
])('%s is no output', (_what, returned) => {
  expect(() => toToolOutput(returned)).toThrow(TypeError);
});

test.each<[returned: unknown, empty: boolean]>([
  [undefined, true],
  [[], true],
  [step([]), true],
  ['', false],
  [null, false],
  [0, false],
  [{}, false],
  [step(''), false],
])('%j is empty: %s', (returned, empty) => {
  expect(toToolOutput(returned).blocks === NOTHING_TO_SEE).toBe(empty);
});

const NOTICE = /\n\[output cut: (\d+) of (\d+) bytes shown\]$/;

/** The texts of an output that was cut at so many bytes. */
function cut(returned: unknown, limit: number): string[] {
  return toToolOutput(returned, { maxOutputBytes: limit, maxImageBytes: 4 }).blocks.map((block) =>
    block.type === 'text' ? block.text : block.type,
  );
}

test('an output of exactly the limit is whole, and one byte more is cut and says so', () => {
  expect(cut('12345', 5)).toEqual(['12345']);
  expect(cut('123456', 5)).toEqual(['12345\n[output cut: 5 of 6 bytes shown]']);
});

test.each([
  ['é', 2],
  ['汉', 3],
  ['😀', 4],
])('a cut never falls inside %s', (character, bytes) => {
  for (let limit = 1; limit <= 3 * bytes; limit += 1) {
    const kept = Math.floor(limit / bytes);
    expect(cut(character.repeat(4), limit)).toEqual([
      `${character.repeat(kept)}\n[output cut: ${kept * bytes} of ${4 * bytes} bytes shown]`,
    ]);
  }
});

test('a text of replacement characters is cut like any other, quickly, and none is taken for half a character', () => {
  const broken = '\ufffd'.repeat(200_000);
  expect(cut(`${broken}x`, 600_000)).toEqual([`${broken}\n[output cut: 600000 of 600001 bytes shown]`]);
});

test('whatever the text and the limit: what is shown begins the text, fits, and is marked if it is not all', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (value, limit) => {
      const shown = cut(value, limit)[0] ?? '';
      if (Buffer.byteLength(value) <= limit) return shown === value;
      const kept = shown.replace(NOTICE, '');
      return NOTICE.test(shown) && value.startsWith(kept) && kept.isWellFormed() && Buffer.byteLength(kept) <= limit;
    }),
  );
});

test('the limit is for all the text of a call; images have a limit of their own', () => {
  const blocks = [text('12345', { k: 1 }), image('aGk=', 'image/png'), text('678'), text(''), text('9')];
  expect(cut(blocks, 6)).toEqual([
    '12345',
    'image',
    '6\n[output cut: 1 of 3 bytes shown]',
    '',
    '\n[output cut: 0 of 1 bytes shown]',
  ]);
  expect(toToolOutput(blocks, { maxOutputBytes: 1, maxImageBytes: 1 }).blocks[0]).toMatchObject({ detail: { k: 1 } });
});

test('a step that is cut keeps its reward, and JSON is cut like text', () => {
  const paid = step('123456', { reward: 1, finished: true });
  expect(toToolOutput(paid, { maxOutputBytes: 5, maxImageBytes: 5 })).toMatchObject({ reward: 1, finished: true });
  expect(cut({ a: 12345 }, 5)).toEqual(['{"a":\n[output cut: 5 of 11 bytes shown]']);
});

test('images of exactly the limit are whole; one that does not fit is left out and says so, and a smaller one is shown', () => {
  const shown = (...images: string[]) =>
    toToolOutput(
      images.map((data) => image(data, 'image/png', { k: 1 })),
      { maxOutputBytes: 1, maxImageBytes: 8 },
    ).blocks.map((block) => (block.type === 'image' ? block.data : block));
  expect(shown('aGk=', 'aGk=')).toEqual(['aGk=', 'aGk=']);
  expect(shown('aGk=', 'aGlhaGlh', 'aGk=')).toEqual([
    'aGk=',
    { type: 'text', text: '[image left out: 8 bytes, 4 allowed]', detail: { k: 1 } },
    'aGk=',
  ]);
});

test('an option that there is not is an error: a misspelt reward would be lost', () => {
  expect(() => step('ok', { rewrd: 1 } as object)).toThrow("step() has no option 'rewrd'. Did you mean 'reward'?");
  expect(() => step('ok', { score: 1 } as object)).toThrow('It takes reward, finished, metadata');
});
