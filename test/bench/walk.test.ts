import { expect, test } from 'vitest';
import { followCall } from '../../bench/walk/follow.ts';
import { linesThatRan } from '../../bench/walk/lines.ts';

// What a reader has to know to understand a call. Lower these when the walk gets shorter.
const MOST_FILES = 25;
const MOST_LINES = 600;

test('a call is followed from the socket to the tool and back, and its walk gets no longer', async () => {
  const { files, lines } = await followCall('ors');
  const places = ['src/server/http/', 'src/server/ors/call.ts', 'src/sessions/', 'src/core/invoke.ts'].map((start) =>
    files.findIndex(({ path }) => path.startsWith(start)),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(files.find(({ path }) => path === 'src/core/invoke.ts')?.functions).toContain('invoke');
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
  expect(lines).toBeLessThanOrEqual(MOST_LINES);
});

test('lines count by the smallest range around them, and only where code stands', () => {
  const script = 'function f(x) {\n  // a comment\n  if (x)\n    g();\n  return x;\n}\n';
  const map = {
    file: 'f.js',
    version: 3,
    sources: ['f.ts'],
    sourcesContent: [],
    names: [],
    sourceRoot: '',
    // Each line of code begins where it does in the source, one line further down.
    mappings: 'AACA;;EAEE;IACE;EACF;AACF',
  };
  const whole = { startOffset: 0, endOffset: script.length - 1, count: 1 };
  const skipped = { startOffset: script.indexOf('g();'), endOffset: script.indexOf('g();') + 4, count: 0 };
  expect([...linesThatRan({ script, map }, [whole, skipped])]).toEqual([2, 4, 6, 7]);
  expect([...linesThatRan({ script, map }, [{ ...whole, count: 0 }])]).toEqual([]);
});

test('what stands behind a return does not count, whatever branches are in it', () => {
  const script = 'function f(x) {\n    if (x)\n        return;\n    g(x ||\n        y);\n    h(x);\n}\n';
  // Each line of the source is one of these.
  const mappings = 'AAAA;IACI;QACI;IACJ;QACI;IACJ;AACJ';
  const map = { file: 'f.js', version: 3, sources: ['f.ts'], sourcesContent: [], names: [], sourceRoot: '', mappings };
  const at = (text: string) => script.indexOf(text);
  const whole = { startOffset: 0, endOffset: script.length - 1, count: 1 };
  const rest = { startOffset: at('\n    g'), endOffset: at(' ||'), count: 0 };
  const branch = { startOffset: at('||\n'), endOffset: at(');\n    h'), count: 0 };
  expect([...linesThatRan({ script, map }, [whole, rest, branch])]).toEqual([1, 2, 3, 7]);
});
