import { expect, test } from 'vitest';
import { DefinitionError, environment, tool, toolkit } from './index.ts';

const run = () => 'done';
const url = 'https://mail.example.com/authorize';

// Each as a module without types would bring it.
const define = (options: object) => () => tool({ run, ...options } as never);

function expectMistake(make: () => unknown, message: string): void {
  expect(make).toThrow(DefinitionError);
  expect(make).toThrow(message);
}

test.each<[options: object, message: string]>([
  [{ description: 5 }, 'tool(): description must be a string, not 5'],
  [{ version: ['1.0.0'] }, 'tool(): version must be three numbers such as 1.0.0, not an array'],
  [{ shared: 'false' }, 'tool(): shared must be true or false, not "false"'],
  [{ concurrent: 1 }, 'tool(): concurrent must be true or false, not 1'],
  [{ canRetry: null }, 'tool(): canRetry must be true or false, not null'],
  [{ timeoutMs: '5' }, 'tool(): timeoutMs must be a whole number of ms from 1 to 2147483647, not "5"'],
  [{ timeoutMs: 0.5 }, 'from 1 to 2147483647, not 0.5'],
  [{ timeoutMs: 2 ** 31 }, 'from 1 to 2147483647, not 2147483648'],
  [{ timeoutMs: Number.NaN }, 'from 1 to 2147483647, not NaN'],
  [{ maxOutputBytes: 0 }, 'tool(): maxOutputBytes must be a whole number of bytes from 1, not 0'],
  [{ maxOutputBytes: 1.5 }, 'a whole number of bytes from 1, not 1.5'],
  [{ maxOutputBytes: 2 ** 53 }, 'a whole number of bytes from 1, not 9007199254740992'],
  [{ effects: 'none' }, "tool(): effects must be 'state', 'idempotent' or 'external', not \"none\""],
  [{ scopes: 'admin' }, `tool(): scopes must be an array, such as ['mail'], not "admin"`],
  [{ scopes: ['admin', ''] }, 'tool(): scopes[1] must be a string that is not empty, not ""'],
  [{ scopes: [undefined] }, 'tool(): scopes[0] must be a string that is not empty, not nothing'],
])('the options %j are refused with what they must be', (options, message) => {
  expectMistake(define(options), message);
});

test.each<[requirements: unknown, message: string]>([
  [['KEY'], 'tool(): requirements must be an object with secrets, userId, authorization, not an array'],
  [{ secret: ['KEY'] }, "tool(): requirements has an unknown key 'secret'. Did you mean 'secrets'?"],
  [{ user_id: true }, "tool(): requirements has an unknown key 'user_id'. Did you mean 'userId'?"],
  [{ secrets: 'KEY' }, `tool(): requirements.secrets must be an array, such as ['API_KEY'], not "KEY"`],
  [{ secrets: [{ id: 'KEY' }] }, 'requirements.secrets[0] must be a string that is not empty, not an object'],
  [{ userId: 'ada' }, 'tool(): requirements.userId must be true or false, not "ada"'],
  [{ authorization: { id: 'mail', url } }, "authorization must be an array, such as [{ id: 'mail', url: 'https://"],
  [{ authorization: ['mail'] }, 'requirements.authorization[0] must be an object with id, url, oauth2, not "mail"'],
  [{ authorization: [{ id: 'mail' }] }, 'authorization[0].url must be a string that is not empty, not nothing'],
  [{ authorization: [{ id: 'mail', uri: url }] }, "authorization[0] has an unknown key 'uri'. Did you mean 'url'?"],
  [{ authorization: [{ id: 'mail', url, oauth2: ['read'] }] }, 'oauth2 must be an object with scopes, not an array'],
  [
    { authorization: [{ id: 'mail', url, oauth2: { scopes: 'read' } }] },
    `requirements.authorization[0].oauth2.scopes must be an array, such as ['mail.read'], not "read"`,
  ],
])('the requirements %j are refused, because a tool would run without what it needs', (requirements, message) => {
  expectMistake(define({ requirements }), message);
});

test('a tool of a toolkit has no state that it could change', () => {
  const kit = (effects: 'state' | 'idempotent' | 'external') => () =>
    toolkit({ name: 'Kit', tools: { Do: tool({ effects, run }) } });
  expectMistake(kit('state'), "toolkit 'Kit', tool 'Do': effects cannot be 'state'");
  expectMistake(kit('state'), "Write 'idempotent' if it may be run twice, otherwise 'external'");
  expect(kit('idempotent')).not.toThrow();
  expect(kit('external')).not.toThrow();
});

test('options at their edges, left out and undefined are no mistakes', () => {
  expect(define({})).not.toThrow();
  expect(define({ timeoutMs: 1, maxOutputBytes: 1, scopes: [], requirements: {}, description: '' })).not.toThrow();
  expect(define({ timeoutMs: 2 ** 31 - 1, maxOutputBytes: 2 ** 31, version: undefined })).not.toThrow();
  const authorization = [{ id: 'mail', url, oauth2: { scopes: ['mail.read'] } }];
  expect(define({ requirements: { secrets: ['KEY'], userId: false, authorization } })).not.toThrow();
});

test('the message names the place of the tool', () => {
  const Add = { run, timeoutMs: 0 };
  expectMistake(() => toolkit({ name: 'Kit', tools: { Add } }), "toolkit 'Kit', tool 'Add': timeoutMs must be");
  const demo = { name: 'demo', splits: { train: [{}] }, prompt: () => '', tools: { Add } };
  expectMistake(() => environment(demo), "environment 'demo', tool 'Add': timeoutMs must be");
});

test.each<[given: unknown, called: string]>([
  [undefined, 'nothing'],
  [null, 'null'],
  ['demo', '"demo"'],
  [[], 'an array'],
  [run, 'a function'],
])('%j is no definition, and the message says what to write', (given, called) => {
  expectMistake(
    () => tool(given as never),
    `tool() takes an object, not ${called}. Write tool({ description, input, run(input, context) { ... } })`,
  );
  expectMistake(
    () => toolkit(given as never),
    `toolkit() takes an object, not ${called}. Write toolkit({ name, tools })`,
  );
  expectMistake(
    () => environment(given as never),
    `environment() takes an object, not ${called}. Write environment({ name, splits, prompt, tools })`,
  );
});

test('a toolkit has no keys but its own, and tools by name', () => {
  const kit = toolkit({ name: 'Kit', tools: { Do: { run } } });
  expect(toolkit({ ...kit, name: 'Other' }).name).toBe('Other');
  expectMistake(
    () => toolkit({ ...kit, versoin: '2' } as never),
    "toolkit 'Kit' has an unknown key 'versoin'. Known keys: name, tools",
  );
  expectMistake(() => toolkit({ name: 'Kit', tools: [{ run }] } as never), 'by its name: { Add: add }');
});
