import { expect, test } from 'vitest';
import { bodyParser } from './bodies.ts';

const parse = bodyParser({ maxInputValues: 1_000 });

function read(body: string): object {
  return parse({ headers: { 'content-type': 'application/json' }, body });
}

test.each([
  ['{"a":{"n":1e400}}', 'a.n'],
  ['{"a":[1,-1E+309]}', 'a.1'],
  ['{"a":1e0000400}', 'a'],
  [`{"a":${'9'.repeat(309)}}`, 'a'],
  [`{"a":${'9'.repeat(300)}.5e9}`, 'a'],
])('a body is refused that has a number beyond what JavaScript can hold: %s', (body, place) => {
  expect(() => read(body)).toThrow(`the number at '${place}' is too large`);
});

test.each([
  '{"a":1.7e308,"b":1e-400}',
  '{"a":-0.5,"b":[-0.07,"-0"]}',
  `{"a":0.${'9'.repeat(400)}}`,
  `{"a":1${'0'.repeat(308)}}`,
  '{"a":"1e400"}',
])('others are taken: %s', (body) => {
  expect(read(body)).toEqual(JSON.parse(body));
});

test.each([
  '{"a":-0}',
  '{"a": -0 }',
  '{"a":[2,-0]}',
  '{"a":[1,{"b":-0.0}]}',
  '{"a":[-0e5]}',
  '{"a":-1e-400}',
  `{"a":-0.${'0'.repeat(400)}1}`,
])('minus zero is zero, as it is wherever it is written down: %s', (body) => {
  expect(read(body)).toStrictEqual(JSON.parse(JSON.stringify(JSON.parse(body))));
});
