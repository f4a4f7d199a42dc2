import type { Problem } from './problem.ts';

const fromRoman: Problem = {
  functionName: 'fromRoman',
  statement:
    'Write fromRoman(numeral): the value of a Roman numeral such as "MMXXIV" (2024). Only valid numerals are given, in upper case.',
  tests: [
    [['I'], 1],
    [['III'], 3],
    [['IV'], 4],
    [['IX'], 9],
    [['LVIII'], 58],
    [['XLII'], 42],
    [['CDXLIV'], 444],
    [['MCMXCIV'], 1994],
    [['MMMCMXCIX'], 3999],
  ],
};

const formatRanges: Problem = {
  functionName: 'formatRanges',
  statement:
    'Write formatRanges(numbers): takes an array of whole numbers in any order, some perhaps twice, and returns them as text in ascending order, with commas between. Three or more numbers in a row are written as a range: formatRanges([5, 1, 2, 3]) is "1..3,5".',
  tests: [
    [[[]], ''],
    [[[7]], '7'],
    [[[1, 2]], '1,2'],
    [[[1, 2, 3]], '1..3'],
    [[[10, 8, 9]], '8..10'],
    [[[4, 4, 5, 5, 6]], '4..6'],
    [[[0, -2, -1, -3]], '-3..0'],
    [[[1, 2, 3, 5, 7, 8, 20, 21, 22]], '1..3,5,7,8,20..22'],
  ],
};

const parseDuration: Problem = {
  functionName: 'parseDuration',
  statement:
    'Write parseDuration(text): the seconds in a duration such as "2h15m", "30s" or "1d 6h". The units are d, h, m and s, each at most once and in this order, with optional spaces between the parts. Return -1 for everything else, such as "", "7" or "3m2h".',
  tests: [
    [['45s'], 45],
    [['1h30m'], 5400],
    [['2d 3h'], 183600],
    [['1d2h3m4s'], 93784],
    [['0s'], 0],
    [[''], -1],
    [['5'], -1],
    [['1m1h'], -1],
    [['1h1h'], -1],
    [['-1s'], -1],
  ],
};

const isBalanced: Problem = {
  functionName: 'isBalanced',
  statement:
    'Write isBalanced(text): true if the brackets (), [] and {} in a text are closed in the right order. Other characters do not matter, and brackets between double quotes are other characters. A text that ends inside quotes is not balanced.',
  tests: [
    [[''], true],
    [['(a[b]{c})'], true],
    [['(]'], false],
    [['([)]'], false],
    [['('], false],
    [[')('], false],
    [['")"'], true],
    [['("(")'], true],
    [['("(]")]'], false],
    [['"(()'], false],
  ],
};

const parseCsvLine: Problem = {
  functionName: 'parseCsvLine',
  statement:
    'Write parseCsvLine(line): the fields of one line of CSV. A field may stand in double quotes, and then holds commas; two double quotes within it mean one.',
  tests: [
    [[''], ['']],
    [['a,b,c'], ['a', 'b', 'c']],
    [['a,,c,'], ['a', '', 'c', '']],
    [['"a,b",c'], ['a,b', 'c']],
    [['"say ""hi""",x'], ['say "hi"', 'x']],
    [['"",""'], ['', '']],
    [[' a , b '], [' a ', ' b ']],
  ],
};

const findIndex: Problem = {
  functionName: 'findIndex',
  statement:
    'solution.mjs holds findIndex(sorted, wanted), a binary search for the FIRST index of a number in a sorted array, or -1. It has mistakes. Repair it; it must stay fast for large arrays.',
  files: {
    'solution.mjs': `export function findIndex(sorted, wanted) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) / 2;
    if (sorted[middle] === wanted) return middle;
    if (sorted[middle] < wanted) low = middle;
    else high = middle - 1;
  }
  return -1;
}
`,
  },
  tests: [
    [[[], 1], -1],
    [[[1], 1], 0],
    [[[1], 2], -1],
    [[[1, 3, 5, 7], 7], 3],
    [[[1, 3, 5, 7], 1], 0],
    [[[1, 3, 5, 7], 4], -1],
    [[[2, 2, 2, 2, 2], 2], 0],
    [[[1, 2, 2, 2, 9], 2], 1],
  ],
};

const buildOrder: Problem = {
  functionName: 'buildOrder',
  statement:
    'Write buildOrder(needs): takes an object from each package to the packages it needs, and returns all packages in an order in which each comes after those it needs. Where several could come next, the first by alphabet does. Every needed package is a key. Return [] if there is a circle.',
  tests: [
    [[{}], []],
    [[{ a: [] }], ['a']],
    [[{ b: [], a: [] }], ['a', 'b']],
    [[{ a: ['b'], b: [] }], ['b', 'a']],
    [[{ app: ['lib', 'log'], lib: ['core'], log: ['core'], core: [] }], ['core', 'lib', 'log', 'app']],
    [[{ d: [], c: ['d'], b: [], a: ['c'] }], ['b', 'd', 'c', 'a']],
    [[{ a: ['b'], b: ['a'] }], []],
    [[{ a: ['a'] }], []],
  ],
};

const wrapText: Problem = {
  functionName: 'wrapText',
  statement:
    'solution.mjs holds wrapText(text, width): breaks a text between words into an array of lines of at most `width` characters. A word that is longer than a line gets a line of its own. Any white space separates words. It has mistakes. Repair it.',
  files: {
    'solution.mjs': `export function wrapText(text, width) {
  const lines = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line += ' ' + word;
    }
  }
  return lines;
}
`,
  },
  tests: [
    [['', 10], []],
    [['one', 10], ['one']],
    [['one two', 7], ['one two']],
    [
      ['one two', 6],
      ['one', 'two'],
    ],
    [
      ['a  b\nc', 3],
      ['a b', 'c'],
    ],
    [
      ['an extraordinarily long word', 8],
      ['an', 'extraordinarily', 'long', 'word'],
    ],
    [['   ', 5], []],
  ],
};

/** Every problem by the name its task gives. They stay on the server: a task holds the name alone. */
export const problems = {
  roman: fromRoman,
  ranges: formatRanges,
  duration: parseDuration,
  brackets: isBalanced,
  csv: parseCsvLine,
  'binary-search': findIndex,
  'build-order': buildOrder,
  wrap: wrapText,
} satisfies Record<string, Problem>;
