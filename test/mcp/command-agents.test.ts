import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentCli, commandAgent, rollouts } from 'tiltyard/rollouts';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { folderWith, run } from '../support/command.ts';
import { episodesOf, eventsOf, filesOf, runFolder } from '../support/runs.ts';
import { agentMessages, OF_REWARDS } from './agent-messages.ts';
import { PIXEL, REWARD, watched } from './environments.ts';
import { ERAS } from './rpc.ts';

// A busy machine takes a while to start several processes.
const PROCESSES_MS = 180_000;

const PROGRAM = fileURLToPath(new URL('agent-program.mjs', import.meta.url));

const MODULE = `
  import { environment, image, step, text } from 'tiltyard';
  const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  export const quiz = environment({
    name: 'quiz',
    splits: { test: [{ a: 6, b: 7 }, { a: 6, b: 8 }, { a: 5, b: 5 }] },
    async setup() {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { isReady: true };
    },
    prompt: ({ task }) => [text(\`What is \${task.a} times \${task.b}?\`), image(pixel, 'image/png')],
    tools: {
      submit: {
        description: 'Submit.',
        input: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
        run: ({ answer }, { task }) =>
          step(answer === String(task.a * task.b) ? 'Right.' : 'Wrong.', {
            reward: answer === String(task.a * task.b) ? 1 : 0,
            finished: true,
          }),
      },
      look: { description: 'Look.', run: () => step('A wall.', { reward: 0.125 }) },
    },
  });
`;

async function moduleAt(): Promise<{ module: string; folder: string }> {
  const folder = await folderWith({ 'quiz.ts': MODULE });
  return { module: join(folder, 'quiz.ts'), folder };
}

test(
  'Q20: tiltyard run plays with any command, through placeholders, variables or standard input',
  async () => {
    const { module } = await moduleAt();
    for (const args of [['{url}', '{prompt_file}'], []]) {
      const out = runFolder();
      const command = ['--', process.execPath, PROGRAM, 'play', ...args];
      const played = run(['run', module, '--out', out, '--json', '--concurrency', '2', '--n', '2', ...command]);
      expect(await played.exit, played.output()).toBe(0);
      expect(JSON.parse(played.stdout())).toMatchObject({ reward: { mean: 1 }, coverage: 1 });
      expect(await episodesOf(out)).toMatchObject([
        { stop: 'finished', reward: 1, steps: 1 },
        { stop: 'finished', reward: 1, steps: 1 },
      ]);
      const events = await eventsOf(out, 0);
      expect(events.map(({ type }) => type)).toEqual(['episode', 'prompt', 'call', 'result', 'note', 'end']);
    }
  },
  PROCESSES_MS,
);

test(
  'Q23: the report tells how commands ended, and why episodes were not finished',
  async () => {
    const { module } = await moduleAt();
    const out = runFolder();
    const failing = run(['run', module, '--out', out, '--n', '2', '--', process.execPath, PROGRAM, 'never']);
    expect(await failing.exit).toBe(1);
    expect(failing.stdout()).toMatch(/stops +agent_threw 2\n +why +2x the command exited with 3: it never connected\n/);
    expect(failing.stdout()).toMatch(/spent +0 calls/);
    expect(await readFile(join(out, 'report.html'), 'utf8')).toContain('the command exited with 3: it never connected');
    const shown = run(['runs', 'show', out]);
    expect(await shown.exit).toBe(0);
    expect(shown.stdout()).toContain('2x the command exited with 3: it never connected');
  },
  PROCESSES_MS,
);

test(
  'Q20: a resumed run finds its command again, and another one is refused',
  async () => {
    const { module } = await moduleAt();
    const out = runFolder();
    const command = ['--', process.execPath, PROGRAM, 'play', '{url}'];
    expect(await run(['run', module, '--out', out, '--n', '1', ...command]).exit).toBe(0);
    const grown = run(['run', module, '--out', out, '--n', '2', '--resume']);
    expect(await grown.exit, grown.output()).toBe(0);
    expect(await episodesOf(out)).toHaveLength(2);
    const other = run(['run', module, '--out', out, '--n', '3', '--resume', '--', process.execPath, PROGRAM, 'look']);
    expect(await other.exit).toBe(2);
    const nobody = run(['run', module, '--', 'no-such-program-anywhere']);
    expect(await nobody.exit).toBe(2);
    expect(nobody.output()).toContain("there is no program 'no-such-program-anywhere'");
  },
  PROCESSES_MS,
);

test(
  'Q21: the command starts after setup, in an empty folder, and reaches nothing but its own episode',
  async () => {
    const { module, folder } = await moduleAt();
    const out = runFolder();
    const SNOOP_FILE = join(folder, 'seen.json');
    const env = { SNOOP_FILE, TILTYARD_API_KEY: 'of-the-server', SECRET_OF_ENV: 'hush-hush-hush', MY_OWN: 'kept' };
    const args = ['--n', '1', '--secret', 'SECRET_OF_ENV', '--', process.execPath, PROGRAM, 'snoop', '{url}'];
    const played = run(['run', module, '--out', out, ...args], env);
    expect(await played.exit, played.output()).toBe(0);
    const seen = JSON.parse(await readFile(SNOOP_FILE, 'utf8'));
    for (const status of seen.statuses) expect([401, 403]).toContain(status);
    expect(seen.files).toEqual([]);
    expect(seen.tools).toEqual(['submit', 'look']);
    expect(seen.prompt).toMatch(/^What is 6 times 7\?\n\n\[image: .*\.png\]\n\n/);
    expect(seen.prompt).toContain("'tiltyard': submit, look. When a result says that the episode has ended, stop");
    expect(seen.env).toMatchObject({ MY_OWN: 'kept', TILTYARD_TOOLS: 'submit,look' });
    expect(seen.env.TILTYARD_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/sessions\/[\w-]{32}$/);
    expect(seen.env.TILTYARD_URL).toContain(seen.env.TILTYARD_TOKEN);
    expect(JSON.stringify(seen)).not.toMatch(/of-the-server|hush-hush-hush/);
    // Neither it nor the token is in any file of the run.
    const files = [...(await filesOf(out)).values()].join('\n');
    expect(files).not.toContain(seen.env.TILTYARD_TOKEN);
  },
  PROCESSES_MS,
);

test.each([
  ['never', 'agent_threw', 'the command exited with 3: it never connected'],
  ['list', 'gave_up', 'the command exited with 0: it listed the tools, and never called one'],
  ['look', 'gave_up', 'the command exited with 0: it made 1 call, and did not finish the episode'],
  ['talk', 'max_turns', '3'],
])('Q23: a command that stops early is diagnosed: %s', async (how, stop, detail) => {
  const { environments } = watched();
  await using server = await createServer({ environments, logger: false });
  const out = runFolder();
  const agent = commandAgent({ command: process.execPath, args: [PROGRAM, how, '{url}', '{prompt_file}'] });
  await rollouts({ target: await server.listen(), agent, n: 1, out, maxTurns: 3, retries: 0 }).catch(() => {});
  const [episode] = await episodesOf(out);
  expect(episode).toMatchObject({ stop });
  expect(JSON.stringify(await eventsOf(out, 0))).toContain(detail);
  if (how === 'look') {
    expect(episode).toMatchObject({ reward: REWARD, steps: 1 });
    // What it printed is what it was told.
    const note = (await eventsOf(out, 0)).find(({ type }) => type === 'note');
    expect(JSON.stringify(note)).toContain('A pixel. image');
    expect(JSON.stringify(note)).not.toContain('618');
  }
});

test.each(ERAS)('M8, Q21: every byte that a command can read is without the reward (%s era)', async (era) => {
  const folder = await folderWith({});
  const { environments } = watched();
  await using server = await createServer({ environments, logger: false });
  const out = runFolder();
  // A tool that crashes or hangs ends an episode of a run: no agent is to blame for it.
  const messages = agentMessages(era).filter(({ body }) => !/"(crash|hang)"/.test(body));
  const env = { SNOOP_FILE: join(folder, 'bytes'), MESSAGES: JSON.stringify(messages) };
  const agent = commandAgent({ command: process.execPath, args: [PROGRAM, 'bytes', '{url}'], env });
  await rollouts({ target: await server.listen(), agent, n: 1, out });
  const [episode] = await episodesOf(out);
  expect(episode).toMatchObject({ stop: 'finished' });
  // Of the two looks with the same id, one has run (M14).
  expect(episode?.reward).toBeCloseTo(3 * REWARD);
  const seen = await readFile(env.SNOOP_FILE, 'latin1');
  for (const part of ['A pixel.', PIXEL, 'Wrong.', 'Right.', 'Find the key first.', 'episode has ended'])
    expect(seen).toContain(part);
  expect(seen).not.toMatch(OF_REWARDS);
});

test('Q23: the last words of a command that ends at once are told, also if a process that it has left holds its output', async () => {
  const { environments } = watched();
  await using server = await createServer({ environments, logger: false });
  const out = runFolder();
  const script =
    'sleep 600 & i=0; while [ $i -lt 200 ]; do echo "line $i"; i=$((i+1)); done; echo "no key for the model" >&2; exit 7';
  const agent = commandAgent({ command: '/bin/sh', args: ['-c', script] });
  await rollouts({ target: await server.listen(), agent, n: 1, out, retries: 0 });
  const [episode] = await episodesOf(out);
  expect(episode).toMatchObject({ stop: 'agent_threw', reward: null });
  expect(episode?.detail).toMatch(/^the command exited with 7: it never connected\n/);
  for (const part of ['line 199', 'no key for the model']) expect(episode?.detail).toContain(part);
});

test('Q23: one that does not stop when the episode is over is ended, with all that it has started', async () => {
  const folder = await folderWith({});
  const { environments } = watched();
  await using server = await createServer({ environments, logger: false });
  const out = runFolder();
  const SNOOP_FILE = join(folder, 'pids.json');
  const args = [PROGRAM, 'linger', '{url}', '{prompt_file}'];
  const agent = commandAgent({ command: process.execPath, args, env: { SNOOP_FILE }, graceMs: 500 });
  await rollouts({ target: await server.listen(), agent, n: 1, out });
  expect(await episodesOf(out)).toMatchObject([{ stop: 'finished' }]);
  expect(JSON.stringify(await eventsOf(out, 0))).toContain('the command was ended by SIGKILL');
  const pids = JSON.parse(await readFile(SNOOP_FILE, 'utf8')) as number[];
  await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const CONFIGS: [name: Parameters<typeof agentCli>[0], expected: RegExp[]][] = [
  [
    'claude',
    [
      /^args -p --mcp-config \S+\/mcp\.json --strict-mcp-config --allowedTools mcp__tiltyard --extra$/m,
      /^env 0 30000 search false trust $/m,
      /^config \{"mcpServers":\{"tiltyard":\{"type":"http","url":"http:\S+","headers":\{"Authorization":"Bearer \S+"\}\}\}\}$/m,
      /^stdin What is/m,
    ],
  ],
  [
    'codex',
    [
      /^args exec - --skip-git-repo-check -c mcp_servers\.tiltyard\.url="http:\S+" -c mcp_servers\.tiltyard\.default_tools_approval_mode="approve" -c mcp_servers\.tiltyard\.required=true -c mcp_servers\.tiltyard\.startup_timeout_sec=30 --extra$/m,
      /^stdin What is/m,
    ],
  ],
  [
    'gemini',
    [
      /^args -p What is/m,
      /trust true$/m,
      /^settings \{"mcpServers":\{"tiltyard":\{"httpUrl":"http:\S+","trust":true\}\}\}$/m,
    ],
  ],
  [
    'opencode',
    [/^args run What is/m, /^opencode \{"mcp":\{"tiltyard":\{"type":"remote","url":"http:\S+","enabled":true\}\}\}$/m],
  ],
  [
    'qwen',
    [
      /--mcp-config \S+\/mcp\.json/,
      /^config \{"mcpServers":\{"tiltyard":\{"httpUrl":"http:\S+","trust":true\}\}\}$/m,
      /^settings \{"tools":\{"toolSearch":\{"enabled":false\}\}\}$/m,
    ],
  ],
  ['goose', [/^args run --no-session --with-streamable-http-extension http:\S+ -i \S+\/prompt\.md --extra$/m]],
];

test.each(CONFIGS)('Q22: the preset for %s writes the configuration that it needs', async (name, expected) => {
  const folder = await folderWith({});
  const told = join(folder, 'told.txt');
  // What the real one would read, written down; and then the episode is played.
  await writeFile(
    join(folder, name),
    `#!/bin/sh
{
  printf 'args %s\\n' "$*"
  echo "env $MCP_CONNECTION_NONBLOCKING $MCP_CONNECT_TIMEOUT_MS search $ENABLE_TOOL_SEARCH trust $GEMINI_CLI_TRUST_WORKSPACE"
  echo "opencode $OPENCODE_CONFIG_CONTENT"
  echo "config $(cat "$TILTYARD_MCP_CONFIG")"
  echo "settings $(cat .*/settings.json 2>/dev/null)"
  echo "stdin $(cat)"
} > ${told}
exec ${process.execPath} ${PROGRAM} play "$TILTYARD_URL" "$TILTYARD_PROMPT_FILE" < /dev/null
`,
  );
  await chmod(join(folder, name), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  const { environments } = watched();
  await using server = await createServer({ environments, logger: false });
  const out = runFolder();
  await rollouts({ target: await server.listen(), agent: commandAgent(agentCli(name, ['--extra'])), n: 1, out });
  expect(await episodesOf(out)).toMatchObject([{ stop: 'finished', reward: REWARD, steps: 1 }]);
  const text = await readFile(told, 'utf8');
  for (const pattern of expected) expect(text).toMatch(pattern);
});
