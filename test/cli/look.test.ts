import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { environment, step } from 'tiltyard';
import { expect, onTestFinished, test } from 'vitest';
import { gsm8k } from '../../examples/gsm8k/environment.ts';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { openSession } from '../support/client.ts';
import { folderWith, run, untilPrinted } from '../support/command.ts';
import { json, type Route, SERVER_ID, startForeign, stream } from '../support/foreign.ts';
import { shareServer, startServer } from '../support/http.ts';
import { minimal, numbered } from '../support/minimal.ts';
import { type Ended, runHere } from '../support/run-here.ts';
import { runFolder } from '../support/runs.ts';

const TOOLKIT_MODULE = 'examples/toolkit/toolkit.ts';

const shared = shareServer();

// One server with both: an environment and toolkits.
const examples = shareServer({ environments: [gsm8k], toolkits: [calculator, doorbell, messages] });

/** Stands for the URL of that server in the tables of this file, which are made before it is there. */
const EXAMPLES = '<examples>';

/** Runs a command to its end. */
async function command(...args: readonly string[]) {
  return commandWith({}, ...args);
}

async function commandWith(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const named = args.map((arg) => (arg === EXAMPLES ? examples().url : arg));
  const ended = await runHere(named, env);
  return { ...ended, lines: ended.stdout.trimEnd().split('\n') };
}

/** The same in a process of its own. */
async function commandApart(args: readonly string[], input = ''): Promise<Ended> {
  const { exit, output, stdout, child } = run(args);
  child.stdin?.end(input);
  return { code: (await exit) ?? -1, output: output(), stdout: stdout() };
}

const toLines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('tasks shows environments and splits, and how to go on', async () => {
  const { code, stdout, output } = await command('tasks', shared().url);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^math\n {2}train {2}train +10 tasks\n {2}test {3}test +3 tasks\n {2}hard .* 1 task\ncode_env\n/,
  );
  expect(output).toContain(`See tasks: tiltyard tasks ${shared().url} --environment math --split train`);
});

test('tasks --json gives a line for each environment, or for each complete task', async () => {
  const overview = await command('tasks', shared().url, '--environment', 'Math', '--json');
  expect(toLines(overview.stdout)).toEqual([
    expect.objectContaining({
      environment: 'math',
      splits: expect.arrayContaining([{ name: 'train', type: 'train', count: 10 }]),
    }),
  ]);
  const { stdout } = await command('tasks', shared().url, '--split', 'train', '--from', '8', '--json');
  expect(toLines(stdout)).toEqual([
    { index: 8, task: { question: 'What is 8+8?', answer: '16' } },
    { index: 9, task: { question: 'What is 9+9?', answer: '18' } },
  ]);
});

test('a page of tasks is cut to the width, and tells how to see the next', async () => {
  const splits = {
    train: { type: 'train' as const, count: 1_000_000, get: (id: number) => ({ id, text: 'x'.repeat(200) }) },
  };
  const { url } = await startServer({ environments: [minimal({ splits })] });
  // A split that cannot be listed, because it is far too long.
  const { lines, output } = await command('tasks', url, '--split', 'train', '--from', '500000', '--count', '2');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe('minimal, split train, 1,000,000 tasks');
  expect(lines[2]).toMatch(/^ {2}500001 {2}\{"id":500001,"text":"x+…$/);
  expect(lines[2]?.length).toBeLessThanOrEqual(80);
  expect(output).toContain(`More: tiltyard tasks ${url} --split train --from 500002 --count 2`);
});

test('tasks makes do with what a server of another make has', async () => {
  const splits = json([{ name: 'train', type: 'train' }]);
  const listing = await startForeign({ 'GET /math/splits': splits, 'POST /math/tasks': json({ tasks: numbered(5) }) });
  const listed = await command('tasks', listing.url, '--split', 'train', '--from', '1', '--count', '2', '--json');
  expect(toLines(listed.stdout)).toEqual([
    { index: 1, task: { id: 1 } },
    { index: 2, task: { id: 2 } },
  ]);
  const single = await startForeign({
    'GET /math/splits': splits,
    'POST /math/task': (exchange) =>
      (exchange.seen.body.index < 2 ? json({ task: { id: exchange.seen.body.index } }) : json({ detail: 'no' }, 400))(
        exchange,
      ),
  });
  expect(toLines((await command('tasks', single.url, '--split', 'train', '--json')).stdout)).toHaveLength(2);
  expect((await command('tasks', single.url)).stdout).toContain('unknown number of tasks');
});

test('tools shows what each takes: type, need, default and description, through definitions', async () => {
  const input = {
    type: 'object',
    properties: {
      level: { $ref: '#/$defs/Level' },
      depth: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], default: null },
      size: { type: 'integer', default: 8, description: 'in\ncells' },
    },
    required: ['level'],
    $defs: { Level: { enum: ['low', 'high'], description: 'how much' } },
  };
  const tool = { description: 'Digs.\nDeep.', input, run: () => 'dug' };
  const { url } = await startServer({ environments: [minimal({ tools: { dig: tool } })] });
  expect((await command('tools', url)).stdout).toBe(
    [
      'minimal',
      '  dig',
      '    Digs.',
      '    Deep.',
      '      level  "low" | "high"       required   how much',
      '      depth  integer >= 1 | null  optional',
      '      size   integer              default 8  in cells',
      '',
    ].join('\n'),
  );
  expect(toLines((await command('tools', url, '--json')).stdout)).toMatchObject([
    { environment: 'minimal', name: 'dig' },
  ]);
});

test('the tools of a task are shown by an episode, which is ended', async () => {
  const before = shared().counters.teardowns;
  const { lines } = await command('tools', shared().url, '--split', 'train', '--index', '1', '--json');
  const names = lines.map((line) => JSON.parse(line).name);
  const sharedNames = (await command('tools', shared().url, '-e', 'math', '--json')).lines.map(
    (line) => JSON.parse(line).name,
  );
  expect(names.length).toBeGreaterThan(sharedNames.length);
  expect(shared().counters.teardowns).toBe(before + 1);
});

test('tools shows toolkits with versions and what they need', async () => {
  const { stdout } = await commandApart(['tools', TOOLKIT_MODULE]);
  expect(stdout).toContain('Calculator.Add@2.0.0\n  Add two numbers, as on paper');
  expect(stdout).toContain('    decimals  integer 0..15  default 10');
  expect(stdout).toContain('needs the secret SMS_API_KEY (--secret SMS_API_KEY), a user (--user)');
});

test('call opens an episode, shows what the tool gave, and ends the episode', async () => {
  const before = { ...shared().counters };
  const { code, stdout, output } = await command('call', shared().url, 'submit', '--input', 'answer=0');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Correct!\nreward    1\nfinished  yes\n' });
  expect(output).toContain("math: task 0 of split 'train'");
  expect(shared().counters).toMatchObject({ setups: before.setups + 1, teardowns: before.teardowns + 1 });
});

test('parameters are read by the schema of the tool, on top of JSON', async () => {
  const parameters = ['x=1.5', 'n=7', 'flag=true', 'mode=hard', 'nested={"deep": "3"}', 'list=[1, 2]'];
  const { stdout } = await command(
    'call',
    shared().url,
    'num',
    '{"x": 0}',
    ...parameters.flatMap((each) => ['--input', each]),
    '--json',
  );
  const { blocks } = JSON.parse(stdout);
  expect(JSON.parse(blocks[0].text)).toEqual({
    x: 1.5,
    n: 7,
    flag: true,
    mode: 'hard',
    nested: { deep: '3' },
    list: [1, 2],
  });
});

test('the input may come from a pipe, and the task from the command line', async () => {
  const args = ['call', shared().url, 'submit', '-', '--task', '{"answer": "x"}', '--json'];
  const { stdout } = await commandApart(args, '{"answer": "x"}');
  expect(JSON.parse(stdout)).toMatchObject({ reward: 1, finished: true, metadata: null });
});

test('call --sid takes part in a session and leaves it open', async () => {
  const server = await startServer();
  const { sid } = await openSession(server);
  const { code, stdout } = await command('call', server.url, 'noargs', '--sid', sid);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'nothing needed\nreward    none\nfinished  no\n' });
  expect(server.counters).toMatchObject({ setups: 1, teardowns: 0 });
});

test('a tool that fails gives exit code 1, the message and the reason', async () => {
  const refused = await command('call', EXAMPLES, 'submit', '{"answer": "many"}', '--json');
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { reason: 'tool_error' } });
  expect(refused.output).toMatch(/tiltyard: .*'many' is not a number.* \(tool_error\)/);
  const { code, output } = await command('call', EXAMPLES, 'submit', '{}');
  expect(code).toBe(1);
  expect(output).toContain('answer: Is required (input_validation)');
});

test.each([
  ['an unknown tool', ['nope'], "there is no tool 'nope'", 'failed'],
  ['an unknown environment', ['submit', '-e', 'nope'], "there is no environment 'nope'", 'failed'],
  ['an unknown split', ['submit', '-s', 'nope'], "there is no split 'nope'", 'failed'],
  ['input that is no JSON', ['submit', 'answer'], 'Must be a JSON object', 'usage'],
])('call --json answers %s with a line of JSON', async (_what, args, message, reason) => {
  const { code, stdout } = await command('call', EXAMPLES, ...args, '--json');
  expect(code).not.toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    error: { message: expect.stringContaining(message), reason },
  });
});

test('a tool of another environment is answered with which one has it', async () => {
  const other = environment({
    name: 'other',
    splits: { train: [{}] },
    prompt: () => '',
    tools: { far: { run: () => '' } },
  });
  const { url } = await startServer({ environments: [minimal(), other] });
  for (const parameters of [[], ['--input', 'a=1']]) {
    const { code, output } = await command('call', url, 'far', ...parameters);
    expect(output).toContain("environment 'other' has it: --environment other\n");
    expect(code).toBe(1);
  }
});

test('an environment in the URL is told apart from the server, with a line to type', async () => {
  const { url } = examples();
  for (const [args, line] of [
    [['call', `${url}/gsm8k`, 'submit', '{"answer": "1"}'], `tiltyard call ${url} submit -e gsm8k`],
    [['call', `${url}/GSM8K/`, 'submit', '--split', 'train'], `tiltyard call ${url} submit -e gsm8k`],
    [['tools', `${url}/gsm8k`], `tiltyard tools ${url} -e gsm8k`],
    [['tasks', `${url}/gsm8k`], `tiltyard tasks ${url} -e gsm8k`],
    [['run', `${url}/gsm8k`, '--policy', 'random', '--out', runFolder()], `tiltyard run ${url} -e gsm8k`],
  ] as const) {
    const { code, output } = await command(...args);
    expect(output).toContain(`is an environment of the server ${url}. Name it with -e: ${line}\n`);
    expect(code).toBe(1);
  }
  expect((await command('call', `${url}/nothing`, 'submit')).output).not.toContain('-e');
});

test('a key is sent to no other path than the one that was named', async () => {
  const keys = new Map<string, string | undefined>();
  const server = createHttpServer((request, response) => {
    keys.set(request.url ?? '', request.headers['x-api-key'] as string | undefined);
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await runHere(['tasks', `http://127.0.0.1:${port}/theirs/mine`], { TILTYARD_API_KEY: 'secret' });
  expect(keys.get('/theirs/mine/list_environments')).toBe('secret');
  expect([...keys]).toContainEqual(['/theirs/list_environments', undefined]);
});

test('tools of toolkits are called without an episode', async () => {
  expect(await command('call', EXAMPLES, 'Calculator.Add', '--input', 'a=0.1', '--input', 'b=0.2')).toMatchObject({
    code: 0,
    stdout: '0.3\n',
  });
});

test('a tool of a toolkit says what it needs, and gets it', async () => {
  const text = '{"to": "+15550100", "text": "hi"}';
  const missing = await command('call', EXAMPLES, 'Messages.SendText', text);
  expect(missing.code).toBe(1);
  expect(missing.output).toContain('add --secret SMS_API_KEY');
  const args = ['call', EXAMPLES, 'Messages.SendText', text, '--secret', 'SMS_API_KEY', '--user', 'ada', '--json'];
  const sent = await commandWith({ SMS_API_KEY: 'good-key' }, ...args);
  expect(JSON.parse(sent.stdout)).toMatchObject({ value: { segments: 1 } });
});

test('a tool of a toolkit that fails gives exit code 1, and its advice', async () => {
  const ring = await command('call', EXAMPLES, 'Doorbell.Ring', '--input', 'doorbell_id=1');
  expect(ring.code).toBe(1);
  expect(ring.output).toContain('Doorbell ID not found (tool_error)\n');
  expect(ring.output).toContain('ids: doorbell42,doorbell84');
});

test('secrets reach the environment from the variable of their name', async () => {
  const secretive = environment({
    name: 'secretive',
    splits: { train: [{}] },
    prompt: () => '',
    tools: { show: { run: ({}, { secrets }) => step(String(secrets.WORD?.length), { reward: 1 }) } },
  });
  const { url } = await startServer({ environments: [secretive] });
  const { stdout } = await commandWith({ WORD: 'four' }, 'call', url, 'show', '--secret', 'WORD');
  expect(stdout).toMatch(/^4\n/);
});

test.each([
  ['an environment', ['tasks', EXAMPLES, '-e', 'nope'], "there is no environment 'nope'. Choose one of: gsm8k"],
  ['a split', ['tasks', EXAMPLES, '-s', 'nope'], "there is no split 'nope'. Choose one of: train, test"],
  ['a tool', ['call', EXAMPLES, 'nope'], "there is no tool 'nope'. Choose one of: submit, hint"],
  [
    'a tool with parameters',
    ['call', EXAMPLES, 'nope', '--input', 'a=1'],
    "there is no tool 'nope'. Choose one of: submit",
  ],
  ['a task', ['call', EXAMPLES, 'submit', '-i', '99'], "no task 99 in split 'train' (it has 32)"],
  ['a tool of a toolkit', ['call', EXAMPLES, 'Calculator.Nope'], 'Choose one of: Calculator.Add@1.0.0'],
])('%s that is not there is answered with what there is, and exit code 1', async (_what, args, message) => {
  const { code, output } = await command(...args);
  expect(output).toContain(message);
  expect(code).toBe(1);
});

test('an environment among toolkits is told as such', async () => {
  const { code, output } = await commandApart(['tasks', TOOLKIT_MODULE]);
  expect(output).toContain('has toolkits and no environments');
  expect(code).toBe(1);
});

test.each([
  [
    'two tasks at once',
    ['call', EXAMPLES, 'submit', '--task', '{}', '--split', 'train'],
    '--task cannot be combined with --split or --index',
  ],
  ['a task for a session', ['call', EXAMPLES, 'submit', '--sid', 'a', '--index', '1'], 'drop --split'],
  ['input that is no JSON', ['call', EXAMPLES, 'submit', 'answer'], 'Must be a JSON object'],
  ['a parameter without a value', ['call', EXAMPLES, 'submit', '--input', 'answer'], '--input takes name=value'],
  [
    'a parameter of the wrong type',
    ['call', EXAMPLES, 'Calculator.Add', '--input', 'a=x'],
    "--input a: 'x' is not a number",
  ],
  [
    'a parameter that the tool does not have',
    ['call', EXAMPLES, 'submit', '--input', 'foo=1'],
    "the tool has no parameter 'foo'. It has: answer",
  ],
  ['a secret that is not set', ['call', EXAMPLES, 'submit', '--secret', 'NOT_SET'], 'NOT_SET is not set'],
])('%s is a mistake of the command line: exit code 2', async (_what, args, message) => {
  const { code, output } = await command(...args);
  expect(output).toContain(message);
  expect(code).toBe(2);
});

test('a server that is not there is named at once, with how to start one', async () => {
  const vacant = createServer().listen(0, '127.0.0.1');
  await once(vacant, 'listening');
  const { port } = vacant.address() as { port: number };
  await new Promise((resolve) => vacant.close(resolve));
  const { code, output } = await command('tasks', `127.0.0.1:${port}`);
  expect(code).toBe(1);
  expect(output).toBe(
    `tiltyard: nothing is listening at http://127.0.0.1:${port}. Start a server with: tiltyard serve <module> --port ${port}\n`,
  );
});

// A server that stops at the wrong moment.
const MORTAL = `import { environment } from 'tiltyard';
const stop = () => process.exit(0);
export const mortal = environment({
  name: 'mortal', splits: { train: [{}] }, prompt: () => '', teardown: stop,
  tools: { live: { run: () => 'alive' }, die: { run: stop } },
});`;

async function serveMortal(): Promise<{ url: string; folder: string }> {
  const game = { environment: 'mortal', split: 'train', index: 0, calls: [{ tool: 'live', input: {} }] };
  const folder = await folderWith({ 'mortal.mjs': MORTAL, 'game.json': JSON.stringify(game) });
  const server = run(['serve', join(folder, 'mortal.mjs'), '--port', '0']);
  const [, url = ''] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  return { url, folder };
}

test.each([
  ['call', ['live']],
  ['play', ['--script', 'game.json']],
])('a server that stops before %s could delete its session takes nothing from the result', async (name, args) => {
  const { url, folder } = await serveMortal();
  const { code, stdout, output } = await command(
    name,
    url,
    ...args.map((arg) => arg.replace(/^game/, `${folder}/game`)),
  );
  expect(output).toContain('the server stopped before the session could be deleted\n');
  expect(stdout).toContain('alive');
  expect(code).toBe(0);
});

test('a server that stops while a call runs is not taken for one that was never there', async () => {
  const { url } = await serveMortal();
  const { code, output } = await command('call', url, 'die');
  expect(output).toMatch(/tiltyard: the connection to localhost:\d+ was lost/);
  expect(output).not.toContain('Start a server');
  expect(code).toBe(1);
});

test('a server that wants a key is answered with where to put it', async () => {
  const { url } = await startServer({ auth: { apiKeys: ['right'] } });
  const none = { TILTYARD_API_KEY: '', ORS_API_KEY: '' };
  expect((await commandWith(none, 'tasks', url)).output).toMatch(/requires an API key\. .* TILTYARD_API_KEY/);
  expect((await commandWith({ ...none, TILTYARD_API_KEY: 'wrong' }, 'tasks', url)).output).toContain(
    'rejected the API key',
  );
  expect(await commandWith({ ...none, TILTYARD_API_KEY: 'right' }, 'tasks', url)).toMatchObject({ code: 0 });
});

test('a server of something else is told apart', async () => {
  const { url } = await startForeign({ 'GET /list_environments': json({ detail: 'Not Found' }, 404) });
  const { code, output } = await command('tools', url);
  expect(code).toBe(1);
  expect(output).toContain('is neither an ORS server (no /list_environments) nor an OXP server');
});

test('a tool whose result is not JSON leaves no doubt about what kind of server it is', async () => {
  const { url } = await startForeign({ 'POST /math/call': stream(['task_id', SERVER_ID], ['end', '<b>3</b>']) });
  const { code, output } = await command('call', url, 'add', '--task', '{}');
  expect(code).toBe(1);
  expect(output).toContain('the server sent a result that is not JSON: <b>3</b>');
  expect(output).not.toContain('an ORS or OXP server?');
});

test('a web page in place of an answer is told apart, with a hint at the URL', async () => {
  const page: Route = ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  const { url } = await startForeign({ 'GET /list_environments': page });
  const { code, output } = await command('tools', url);
  expect(code).toBe(1);
  expect(output).toContain(`Is ${url} an ORS or OXP server? Include any path prefix in the URL`);
});

test('what another protocol has in the place of environments does not hide its tools; a broken list is told', async () => {
  const { url } = await startForeign({ ...LANGCHAIN, 'GET /list_environments': json({ pages: 3 }) });
  expect((await command('tools', url)).stdout).toContain('add');
  const broken = await startForeign({ ...LANGCHAIN, 'GET /list_environments': json(['math', {}]) });
  const { code, output } = await command('tools', broken.url);
  expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('a name that cannot be read') });
});

test('a server cannot write escape codes to the terminal, nor can its errors', async () => {
  const evil = '\x1b]0;owned\x07\x9b2J\u202e\u200b\ufeff\u{e0041}';
  const server = await startForeign({
    'GET /list_environments': json(['math', evil]),
    'GET /math/splits': json([{ name: evil, type: evil }]),
    'POST /math/num_tasks': json({ num_tasks: 1 }),
    'POST /math/task_range': json({ tasks: [{ [evil]: evil }] }),
    'GET /math/tools': json({
      tools: [
        { name: evil, description: evil, input_schema: { type: 'object', properties: { [evil]: { enum: [evil] } } } },
      ],
    }),
    'POST /create': json({ detail: evil }, 400),
  });
  const commands = [
    ['tasks', server.url, '-e', 'math'],
    ['tasks', server.url, '-e', 'math', '--json'],
    ['tasks', server.url, '--split', evil],
    ['tasks', server.url, '--split', evil, '--json'],
    ['tools', server.url, '-e', 'math'],
    ['call', server.url, 'add'],
    ['tasks', server.url, '-e', 'nope'],
  ];
  const outputs = await Promise.all(commands.map(async (args) => (await command(...args)).output));
  for (const output of outputs) {
    expect(output).not.toBe('');
    expect(output).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u200b\ufeff\u{e0041}]/u);
  }
});

test('servers of toolkits of another make are used as well', async () => {
  const { url } = await startForeign(LANGCHAIN);
  expect((await command('tools', url)).stdout).toContain('add');
  expect((await command('call', url, 'add', '--input', 'a=1')).stdout).toBe('3\n');
});

// A tool server whose ids have no toolkit, and whose answers are bare.
const LANGCHAIN = {
  'GET /list_environments': json({ detail: 'Not Found' }, 404),
  'GET /tools': json([
    {
      id: 'add',
      name: 'add',
      description: 'Adds.',
      input_schema: { type: 'object', properties: { a: { type: 'integer' } } },
    },
  ]),
  'POST /tools/call': json({ success: true, value: 3 }),
};

test.each(['tasks', 'tools', 'call', 'play'])('%s --help shows an example', async (name) => {
  const { code, stdout } = await command(name, '--help');
  expect(code).toBe(0);
  expect(stdout).toContain(`Examples:\n  tiltyard ${name} `);
});
