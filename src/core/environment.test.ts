import { type as arktype } from 'arktype';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { catalog, DefinitionError, environment } from './index.ts';

const RIGHT = {
  name: 'demo',
  splits: { train: [{ id: 0 }] },
  prompt: () => 'hello',
  tools: { look: { run: () => 'seen' } },
};

/** What a server does with a definition when it starts. */
function start(changes: object): unknown {
  return catalog([environment({ ...RIGHT, ...changes } as never)]);
}

function withTool(tool: unknown): object {
  return { tools: { look: tool } };
}

function withInput(input: unknown): object {
  return withTool({ input, run: () => 'seen' });
}

const validateOnly = { '~standard': { version: 1, vendor: 'plainlib', validate: (value: unknown) => ({ value }) } };

const circular: { type: string; properties?: object } = { type: 'object' };
circular.properties = { again: circular };

test.each<[what: string, changes: object, place: string, fix: string]>([
  ['no prompt', { prompt: undefined }, "environment 'demo' has no prompt", 'Add prompt('],
  ['a promise that is none', { durability: 'always' }, 'durability must be', "'replay', 'snapshot' or 'none'"],
  ['a snapshot without save', { durability: 'snapshot' }, "durability 'snapshot' needs save", 'Add save({ state })'],
  [
    'a snapshot without restore',
    { durability: 'snapshot', save: () => 1 },
    "durability 'snapshot' needs restore",
    'Add restore({ saved })',
  ],
  ['a save that nobody calls', { save: () => 1 }, 'save is never called', "Add durability: 'snapshot'"],
  [
    'a restore in a replay',
    { durability: 'replay', restore: () => 1 },
    'restore is never called',
    "Add durability: 'snapshot', or remove restore",
  ],
  ['a save that is none', { durability: 'snapshot', save: 5 }, 'save must be', 'a function'],
  ['no splits', { splits: {} }, "environment 'demo' has no splits", 'Add at least one: splits: {'],
  ['splits left out', { splits: undefined }, "environment 'demo' has no splits", 'Add at least one'],
  [
    'a split of text',
    { splits: { train: 'a.json' } },
    "environment 'demo', split 'train'",
    'must be an array of tasks',
  ],
  ['a split of null', { splits: { train: null } }, "environment 'demo', split 'train'", 'must be an array of tasks'],
  ['a split without a count', { splits: { a: { get: () => ({}) } } }, "split 'a'", '{ type, count, get }'],
  ['a split without a name', { splits: { '': [] } }, "environment 'demo'", 'split without a name'],
  [
    'a type of split that is none',
    { splits: { dev: { type: 'dev', tasks: [] } } },
    "environment 'demo', split 'dev'",
    'the type must be train, validation or test, not "dev"',
  ],
  ['a negative count', { splits: { a: { count: -1, get: () => ({}) } } }, "split 'a'", 'a whole number, not -1'],
  ['a broken count', { splits: { a: { count: 1.5, tasks: [] } } }, "environment 'demo', split 'a'", 'not 1.5'],
  ['a count that is no number', { splits: { a: { count: () => 1, tasks: [] } } }, "split 'a'", 'not a function'],
  ['no tools', { tools: {} }, "environment 'demo' has no tools", 'Add at least one to `tools`'],
  ['tools left out', { tools: undefined }, "environment 'demo' has no tools", 'Add at least one'],
  ['tools in a list', { tools: [{ run: () => 'seen' }] }, "environment 'demo' has no tools", 'by its name'],
  ['a tool name with a space', { tools: { 'a b': {} } }, "environment 'demo': tool 'a b'", 'letters, digits, _ or -'],
  ['a tool name that is too long', { tools: { ['a'.repeat(65)]: {} } }, "environment 'demo'", '1 to 64 letters'],
  [
    'a tool name that every object has',
    { tools: { toString: { run: () => '' } } },
    "environment 'demo': tool 'toString'",
    'cannot have that name',
  ],
  [
    'a tool that is a function',
    withTool(() => 'seen'),
    "environment 'demo', tool 'look'",
    'an object with a run function',
  ],
  ['a tool without run', withTool({}), "environment 'demo', tool 'look' has no run function", 'Add run('],
  ['a description that is no text', withTool({ description: 5, run: () => '' }), "'demo', tool 'look'", 'a string'],
  [
    'a time of nothing',
    withTool({ timeoutMs: 0, run: () => '' }),
    "'demo', tool 'look'",
    'timeoutMs must be a whole number of ms from 1 to 2147483647, not 0',
  ],
  [
    'a loose version',
    withTool({ version: '1', run: () => '' }),
    "'demo', tool 'look'",
    'three numbers such as 1.0.0, not "1"',
  ],
  ['setup that is no function', { setup: {} }, "environment 'demo'", 'setup must be a function'],
  [
    'a date as input',
    withInput(z.object({ at: z.date() })),
    "'demo', tool 'look': its input",
    'Use types that JSON has',
  ],
  ['text as input', withInput(z.string()), "environment 'demo', tool 'look': its input", 'Wrap it: { value: ... }'],
  ['a list as input', withInput({ type: 'array' }), "environment 'demo', tool 'look': its input", 'Wrap it'],
  ['the fields of a zod schema', withInput({ at: z.string() }), "'demo', tool 'look': its input", 'z.object({ ... })'],
  [
    'a zod schema inside JSON Schema',
    withInput({ type: 'object', properties: { at: z.string() } }),
    "tool 'look': its input is not plain JSON: 'at' is a zod schema",
    'or plain JSON Schema',
  ],
  [
    'an ArkType inside JSON Schema',
    withInput({ at: arktype('string') }),
    "its input is not plain JSON: 'at'",
    'Use one library',
  ],
  [
    'types of JavaScript',
    withInput({ at: String }),
    "its input is not plain JSON: 'at' is a function",
    'Use one library',
  ],
  ['a schema that holds itself', withInput(circular), "tool 'look': its input is not plain JSON", 'Use one library'],
  ['no schema', withInput(null), "tool 'look': its input", 'must be a schema, not null'],
  ['text for a schema', withInput('string'), "tool 'look': its input", 'must be a schema, not "string"'],
  ['a list for a schema', withInput([]), "tool 'look': its input", 'must be a schema, not an array'],
  ['a type that is none', withInput({ type: 'objekt' }), "tool 'look': its input", 'not a valid JSON Schema'],
  ['a link to nowhere', withInput({ $ref: '#/$defs/x' }), "tool 'look': its input", 'not a valid JSON Schema'],
  ['a schema that only validates', withInput(validateOnly), "tool 'look': its input is a plainlib", 'Use zod 4.2 or'],
  [
    'an output that JSON lacks',
    withTool({ output: z.map(z.string(), z.string()), run: () => new Map() }),
    "environment 'demo', tool 'look': its output",
    'Use types that JSON has',
  ],
  [
    'a date in the task',
    { task: z.object({ at: z.date() }) },
    "environment 'demo': its task",
    'Use types that JSON has',
  ],
  ['text as the task', { task: z.string() }, "environment 'demo': its task", 'Wrap it'],
])('%s: the message says where it is and what to do', (_what, changes, place, fix) => {
  expect(() => start(changes)).toThrow(DefinitionError);
  expect(() => start(changes)).toThrow(place);
  expect(() => start(changes)).toThrow(fix);
});

test.each([undefined, '', 5, null])('the name %j is refused, with an example of a name', (name) => {
  expect(() => start({ name })).toThrow('an environment needs a name, such as "math"');
});

test.each(['a/b', 'a b', 'a%2fb', 'tab\t', '..', 'zero\u0000'])('the name %j cannot be part of a path', (name) => {
  expect(() => start({ name })).toThrow(`environment '${name}' cannot have that name: it is part of a URL`);
});

test.each(['health', 'Create', 'tools', 'metrics', 'get_task_range'])('the name %j is the server’s', (name) => {
  expect(() => start({ name })).toThrow(
    `environment '${name}' cannot have that name: /${name} is a path of the server. Choose another`,
  );
});

test('two environments of one name are refused, and one of them has to be renamed', () => {
  const named = (name: string) => environment({ ...RIGHT, name });
  expect(() => catalog([named('Demo'), named('other'), named('demo')])).toThrow(
    "two environments are named 'demo' (names are case-insensitive). Rename one of them",
  );
});

test('no environment at all is refused', () => {
  expect(() => catalog([])).toThrow('no environments to serve. Pass at least one');
});

test('an object that environment() has not seen is refused', () => {
  expect(() => catalog([RIGHT as never])).toThrow('environments must be made with environment({ ... })');
});

test.each<[what: string, changes: object]>([
  ['plain JSON Schema', withInput({ type: 'object', properties: { at: { type: 'string' } } })],
  ['a schema that links into itself', withInput({ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } })],
  ['draft-07', withInput({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' })],
  ['zod', withInput(z.object({ at: z.string() }))],
  ['ArkType', withInput(arktype({ at: 'string' }))],
  ['tools of tasks only', withTool({ shared: false, run: () => 'seen' })],
  ['an empty split', { splits: { train: [], none: { count: 0, get: () => ({}) } } }],
])('%s is no mistake', (_what, changes) => {
  expect(() => start(changes)).not.toThrow();
});
