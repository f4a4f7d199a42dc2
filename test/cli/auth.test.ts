import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Credentials, SECRET, withKey, withToken } from '../server/credentials.ts';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';
import { client } from '../support/http.ts';
import { runHere } from '../support/run-here.ts';

// Tells what its commands would inherit, and whose task it is.
const SPYING = `
import { execFileSync } from 'node:child_process';
import { environment, tool, toolkit } from 'tiltyard';
export const spying = environment({
  name: 'spying',
  splits: { train: [{ answer: '42' }] },
  prompt: () => 'Spy.',
  tools: { env: { run: () => execFileSync('env', { encoding: 'utf8' }) } },
});
export const bank = toolkit({ name: 'Bank', tools: { Pay: tool({ scopes: ['billing'], run: () => 'paid' }) } });`;

const WITH_SCOPES = JSON.stringify([
  { key: 'key-of-the-team', identity: 'team' },
  { key: 'key-of-its-agent', identity: 'team', scopes: ['agent'] },
  { key: 'key-of-a-teller', scopes: ['billing'] },
  'key-of-a-rival',
]);

/** The folder of a server with its module and a file of secrets that only its owner can read. */
async function prepare(secrets = ''): Promise<{ module: string; file: string }> {
  const folder = await folderWith({ 'spying.mjs': SPYING, secrets });
  const file = join(folder, 'secrets');
  await chmod(file, 0o600);
  return { module: join(folder, 'spying.mjs'), file };
}

/** Serves the module with these variables. */
async function serve(
  module: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): Promise<Run & ReturnType<typeof client>> {
  const server = run(['serve', module, '--port', '0', '--log-level', 'trace', ...args], env);
  const [, base = ''] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  await untilPrinted(server, /Stop with Ctrl-C/);
  return { ...server, ...client(base) };
}

test('a file of plain keys takes one a line, beside those of TILTYARD_API_KEYS', async () => {
  const { module, file } = await prepare('\n  first-of-file  \r\n\nsecond-of-file\n');
  const { get, output } = await serve(module, {
    TILTYARD_API_KEYS: 'first-of-list, second-of-list,',
    TILTYARD_API_KEYS_FILE: file,
  });
  const keys = ['first-of-list', 'second-of-list', 'first-of-file', 'second-of-file', 'third'];
  const answers = await Promise.all(keys.map((key) => get('/list_environments', { headers: withKey(key) })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 401]);
  for (const key of keys) expect(output()).not.toContain(key);
  expect(output()).not.toContain('chmod');
});

test('lines of a file of keys that begin with # are comments', async () => {
  const { module, file } = await prepare(
    '# of the team\nkey-of-the-team-1\n  # key-of-one-who-left\nkey-with-a-#-inside\n',
  );
  const { get, output } = await serve(module, { TILTYARD_API_KEYS_FILE: file });
  const keys = [
    'key-of-the-team-1',
    'key-with-a-#-inside',
    '# of the team',
    '# key-of-one-who-left',
    'key-of-one-who-left',
  ];
  const answers = await Promise.all(keys.map((key) => get('/list_environments', { headers: withKey(key) })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401, 401]);
  expect(output()).not.toContain('characters');
});

test('a key that can be guessed is warned of by its place', async () => {
  const { module, file } = await prepare('# short\nfifteen-of-them\nsixteen-of-these');
  const { output } = await serve(module, {
    TILTYARD_API_KEYS: 'long-enough-to-pass,tiny',
    TILTYARD_API_KEYS_FILE: file,
  });
  const where = `the file ${file} that TILTYARD_API_KEYS_FILE names`;
  expect(output().match(/^tiltyard: .*$/gm)).toEqual([
    'tiltyard: key 2 of TILTYARD_API_KEYS has only 4 characters and can be guessed. Generate a longer key: openssl rand -hex 32',
    `tiltyard: line 2 of ${where} has only 15 characters and can be guessed. Generate a longer key: openssl rand -hex 32`,
  ]);
  expect(output()).not.toContain('fifteen-of-them');
  const inJson = await prepare('["an-entry-that-will-do", {"key": "brief", "identity": "team"}]');
  const other = await serve(inJson.module, { TILTYARD_API_KEYS_FILE: inJson.file });
  expect(other.output()).toContain(
    `tiltyard: entry 2 of the file ${inJson.file} that TILTYARD_API_KEYS_FILE names has only 5`,
  );
});

test('--no-auth says which variables it leaves unused, and tools do not inherit them either', async () => {
  const { module } = await prepare();
  const env = { TILTYARD_API_KEYS: 'a-key-that-is-not-used', TILTYARD_JWT_SECRET: SECRET };
  const { post, call, output } = await serve(module, env, ['--no-auth']);
  expect(output().match(/^tiltyard: .*$/gm)).toEqual([
    'tiltyard: TILTYARD_API_KEYS is ignored: --no-auth allows everyone',
    'tiltyard: TILTYARD_JWT_SECRET is ignored: --no-auth allows everyone',
  ]);
  await post('/create', { split: 'train', index: 0 }, { sid: 'mine' });
  const { text } = await call('mine', 'env', {}, { env: 'spying' });
  expect(text).toContain('PATH=');
  expect(text).not.toContain('a-key-that-is-not-used');
});

test('a variable that is a slip of one of ours is warned of, and others are not', async () => {
  const { module } = await prepare();
  const { output } = await serve(module, {
    TILTYARD_API_KEY_FILE: 'a-slip',
    TILTYARD_API_KEYS_FILES: 'a-slip',
    TILTYARD_LIMIT: 'a-slip',
    TILTYARD_JOURNAL_KY: 'a-slip',
    TILTYARD_CLUSTR: 'a-slip',
    TILTYARD_SERVICE_HOST: 'of-kubernetes',
    TILTYARD_DEBUG: '0',
  });
  const warnings = output().match(/^tiltyard: .*$/gm) ?? [];
  expect(warnings.map((warning) => warning.split(' ')[1]).sort()).toEqual([
    'TILTYARD_API_KEYS_FILES',
    'TILTYARD_API_KEY_FILE',
    'TILTYARD_CLUSTR',
    'TILTYARD_JOURNAL_KY',
    'TILTYARD_LIMIT',
  ]);
  const meant = warnings.map((warning) => / is ignored: there is no such variable\. (.*)$/.exec(warning)?.[1]);
  expect(meant.sort()).toEqual([
    'Did you mean TILTYARD_API_KEYS_FILE?',
    'Did you mean TILTYARD_API_KEYS_FILE?',
    'Did you mean TILTYARD_CLUSTER?',
    'Did you mean TILTYARD_JOURNAL_KEY?',
    'Did you mean TILTYARD_LIMITS?',
  ]);
  const far = await serve(module, { TILTYARD_SECRET_TOKEN: 'not-ours' });
  expect(far.output()).toContain('there is no such variable. tiltyard serve --help names those that there are\n');
});

test('the key of a client is warned of where it would be taken for that of the server', async () => {
  const { module } = await prepare();
  const alone = await serve(module, { TILTYARD_API_KEY: 'of-a-client' });
  expect(alone.output()).toContain(
    'tiltyard: TILTYARD_API_KEY is ignored: clients send it; a server reads its keys from TILTYARD_API_KEYS\n',
  );
  const key = 'a-key-for-both-of-them';
  const both = await serve(module, { TILTYARD_API_KEY: key, TILTYARD_API_KEYS: key });
  expect(both.output()).not.toContain('is ignored');
});

test('a JSON file gives keys their identities and scopes, and an agent acts in the session it was given', async () => {
  const { module, file } = await prepare(WITH_SCOPES);
  const { get, post, call, output } = await serve(module, { TILTYARD_API_KEYS_FILE: file });
  const [team, agent, teller, rival] = ['key-of-the-team', 'key-of-its-agent', 'key-of-a-teller', 'key-of-a-rival'].map(
    withKey,
  ) as [Credentials, Credentials, Credentials, Credentials];
  const { sid } = (await post('/create_session', undefined, { headers: team })).json;
  await post('/create', { split: 'train', index: 0 }, { sid, headers: team });
  const statusOf = async (request: Promise<{ status: number }>) => (await request).status;
  expect(await statusOf(call(sid, 'env', {}, { env: 'spying', headers: agent }))).toBe(200);
  expect(await statusOf(post('/spying/task', { split: 'train', index: 0 }, { headers: agent }))).toBe(403);
  expect(await statusOf(get('/spying/prompt', { sid, headers: rival }))).toBe(404);
  expect(await statusOf(get('/spying/prompt', { sid, headers: teller }))).toBe(403);
  const pay = async (headers: Credentials) =>
    (await post('/tools/call', { request: { tool_id: 'Bank.Pay' } }, { headers })).json.result?.value;
  expect([await pay(teller), await pay(agent), await pay(rival)]).toEqual(['paid', undefined, 'paid']);
  expect(output()).not.toContain('key-of');
});

test('tokens without scope and audience are taken if a variable says so', async () => {
  const { module } = await prepare('');
  const jwt = { TILTYARD_JWT_SECRET: SECRET, TILTYARD_JWT_AUDIENCE: 'yard' };
  const { get } = await serve(module, { ...jwt, TILTYARD_JWT_MISSING_CLAIMS: 'allow' });
  const headers = withToken({ aud: undefined, scope: undefined });
  expect((await get('/list_environments', { headers })).status).toBe(200);
});

test.each<[what: string, env: (file: string) => NodeJS.ProcessEnv]>([
  ['a variable', () => ({ TILTYARD_JWT_SECRET: SECRET })],
  ['a file', (file) => ({ TILTYARD_JWT_SECRET_FILE: file })],
])('tokens are checked with the secret of %s, and with the audience', async (_what, env) => {
  const { module, file } = await prepare(`${SECRET}\n`);
  const { get, output } = await serve(module, { ...env(file), TILTYARD_JWT_AUDIENCE: 'gym, yard' });
  const statusOf = async (headers: Credentials) => (await get('/list_environments', { headers })).status;
  expect(await statusOf(withToken({ aud: 'yard' }))).toBe(200);
  expect(await statusOf(withToken({ aud: 'elsewhere' }))).toBe(401);
  expect(await statusOf(withToken({ aud: undefined }))).toBe(401);
  expect(await statusOf(withToken({}, `${SECRET}\n`))).toBe(401);
  expect(await statusOf({})).toBe(401);
  expect(output()).toContain('-H "Authorization: Bearer $TOKEN"');
  expect(output()).not.toContain(SECRET);
});

test('what tools start inherits neither the secrets nor the paths of their files', async () => {
  const { module, file } = await prepare('a-key-of-the-file');
  const { post, call } = await serve(module, {
    TILTYARD_API_KEYS: 'a-key-to-keep',
    TILTYARD_API_KEYS_FILE: file,
    TILTYARD_JWT_SECRET: SECRET,
  });
  const headers = withKey('a-key-to-keep');
  await post('/create', { split: 'train', index: 0 }, { sid: 'mine', headers });
  const { text } = await call('mine', 'env', {}, { env: 'spying', headers });
  expect(text).toContain('PATH=');
  for (const secret of ['a-key-to-keep', file, SECRET]) expect(text).not.toContain(secret);
});

test.skipIf(process.platform === 'win32').each([
  ['TILTYARD_API_KEYS_FILE', 'a-key-in-the-open'],
  ['TILTYARD_JWT_SECRET_FILE', SECRET],
])('a file that every user can read earns a warning: %s', async (variable, secrets) => {
  const { module, file } = await prepare(secrets);
  await chmod(file, 0o644);
  const { output } = await serve(module, { [variable]: file });
  expect(output()).toContain(`tiltyard: every user of this machine can read the file ${file} that ${variable} names.`);
  expect(output()).toContain(`chmod 600 ${file}`);
  expect(output()).not.toContain(secrets);
});

const HUSH = 'hush-0123456789';

test.each<[what: string, secrets: string, env: NodeJS.ProcessEnv, message: string]>([
  ['a list of no keys', '', { TILTYARD_API_KEYS: ' , ' }, 'TILTYARD_API_KEYS holds no API key'],
  ['a variable that is empty', '', { TILTYARD_API_KEYS: '' }, 'TILTYARD_API_KEYS is set but empty. Give it a value or'],
  ['a path that is empty', '', { TILTYARD_API_KEYS_FILE: '' }, 'TILTYARD_API_KEYS_FILE is set but empty'],
  [
    'a file of no keys',
    ' \n\n',
    { TILTYARD_API_KEYS_FILE: '<file>' },
    'the file <file> that TILTYARD_API_KEYS_FILE names holds no API key',
  ],
  ['a file of comments', '# nobody\n', { TILTYARD_API_KEYS_FILE: '<file>' }, 'holds no API key'],
  ['a comment over JSON', `# us\n["${HUSH}"]`, { TILTYARD_API_KEYS_FILE: '<file>' }, 'is not valid JSON'],
  [
    'a path to nowhere',
    '',
    { TILTYARD_API_KEYS_FILE: '/tmp/no/keys' },
    'the file /tmp/no/keys that TILTYARD_API_KEYS_FILE',
  ],
  [
    'a secret with a slash',
    '',
    { TILTYARD_JWT_SECRET_FILE: `${HUSH}/x` },
    'the file that TILTYARD_JWT_SECRET_FILE names',
  ],
  ['an empty list of keys', '[]', { TILTYARD_API_KEYS_FILE: '<file>' }, 'holds no API key'],
  ['a file that is not there', '', { TILTYARD_API_KEYS_FILE: HUSH }, 'cannot be read (ENOENT)'],
  ['a secret in the place of its file', '', { TILTYARD_JWT_SECRET_FILE: HUSH }, 'cannot be read (ENOENT)'],
  ['broken JSON', `[{"key": "${HUSH}"`, { TILTYARD_API_KEYS_FILE: '<file>' }, 'is not valid JSON'],
  ['JSON that is no list', `{"${HUSH}": "team"}`, { TILTYARD_API_KEYS_FILE: '<file>' }, 'must hold an array of'],
  [
    'an entry without a key',
    `["a", {"${HUSH}": "team"}]`,
    { TILTYARD_API_KEYS_FILE: '<file>' },
    'entry 2 of the file <file> that',
  ],
  ['a misspelt entry', `[{"key": "${HUSH}", "scope": ["agent"]}]`, { TILTYARD_API_KEYS_FILE: '<file>' }, 'entry 1 of'],
  ['scopes in one text', `[{"key": "${HUSH}", "scopes": "agent"}]`, { TILTYARD_API_KEYS_FILE: '<file>' }, 'entry 1 of'],
  [
    'a scope that is no text',
    `[{"key": "${HUSH}", "scopes": [1]}]`,
    { TILTYARD_API_KEYS_FILE: '<file>' },
    'entry 1 of',
  ],
  ['a key that is no text', '[{"key": 5}]', { TILTYARD_API_KEYS_FILE: '<file>' }, 'entry 1 of'],
  ['the same key twice', HUSH, { TILTYARD_API_KEYS: HUSH, TILTYARD_API_KEYS_FILE: '<file>' }, 'API keys 1 and 2'],
  ['a key that no header carries', '', { TILTYARD_API_KEYS: `${HUSH}é` }, 'API key 1 must consist of visible ASCII'],
  ['a short secret', '', { TILTYARD_JWT_SECRET: HUSH }, 'at least 32 bytes, and has 15'],
  ['an empty secret', '\n', { TILTYARD_JWT_SECRET_FILE: '<file>' }, 'at least 32 bytes, and has 0'],
  ['two secrets', SECRET, { TILTYARD_JWT_SECRET: HUSH, TILTYARD_JWT_SECRET_FILE: '<file>' }, 'not both'],
  ['an audience without a secret', '', { TILTYARD_JWT_AUDIENCE: 'yard' }, 'TILTYARD_JWT_SECRET'],
])('%s: the command does not start, says why, and tells no secret', async (_what, secrets, env, message) => {
  const { module, file } = await prepare(secrets);
  const named = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value === '<file>' ? file : value]),
  );
  const { code, output } = await runHere(['serve', module, '--port', '0'], named);
  expect(output).toContain(message.replace('<file>', file));
  expect(output).not.toContain(HUSH);
  expect(output).not.toMatch(/\n\s+at /);
  expect(code).toBe(2);
});

test('dev ends as well where a secret is too short: no change of a file would mend it', async () => {
  const { module } = await prepare();
  const command = run(['dev', module, '--port', '0'], { TILTYARD_JWT_SECRET: HUSH });
  expect(await command.exit).toBe(2);
  expect(command.output()).toContain('at least 32 bytes, and has 15');
  expect(command.output()).not.toContain(HUSH);
});
