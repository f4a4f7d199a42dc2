import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'tiltyard/server';
import { beforeAll, expect, onTestFinished, type TestContext, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { client } from '../support/http.ts';
import { needed } from '../support/needed.ts';
import { conformance } from './conformance/environment.ts';
import { calculator } from './environments.ts';
import { type NpmPrograms, npmPrograms } from './npm-programs.ts';

let installed: Promise<NpmPrograms>;

beforeAll(async () => {
  installed = npmPrograms();
  // Whether that failed is for each test to say.
  await installed.catch(() => {});
}, 300_000);

function programsFor(context: TestContext): Promise<NpmPrograms> {
  return needed(context, 'the conformance of MCP', () => installed);
}

async function start(): Promise<string> {
  const server = await createServer({
    environments: [conformance],
    toolkits: [calculator],
    mcp: true,
    logger: false,
  });
  onTestFinished(() => server.close());
  return server.listen();
}

function expectedFailures(name: string): string {
  return fileURLToPath(new URL(`conformance/expected-failures.${name}.yml`, import.meta.url));
}

/** Runs a program with Node 22, in a folder of its own. */
async function runProgram(args: readonly string[], { node }: NpmPrograms): Promise<{ code: number; output: string }> {
  const cwd = temporaryFolder('tiltyard-mcp-');
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
  return new Promise((resolve) => {
    execFile(node, args, { cwd, env, timeout: 200_000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

test.for(['2025-11-25', '2026-07-28'])(
  'M24: the official suite finds what it expects of revision %s, and no other failures',
  { timeout: 240_000 },
  async (revision, context) => {
    const programs = await programsFor(context);
    const url = `${await start()}/mcp/conformance?episode=suite`;
    const known = expectedFailures(revision);
    const args = ['server', '--url', url, '--spec-version', revision, '--expected-failures', known];
    const { code, output } = await runProgram([programs.conformance, ...args], programs);
    expect(code, output.slice(output.indexOf('=== SUMMARY'))).toBe(0);
    expect(output).toMatch(/tools-call-simple-text: [1-9]\d* passed, 0 failed/);
  },
);

test('M24: so do the scenarios that the suite has not made official yet, at the address of an agent', async (context) => {
  const programs = await programsFor(context);
  const url = await start();
  const { create, post } = client(url);
  const sid = await create({ env_name: 'conformance', split: 'train', index: 0 });
  const { json } = await post('/conformance/mcp', undefined, { sid });
  // Not at an address with a query, which the scenario of headers would leave out.
  const args = ['--url', url + json.path, '--suite', 'pending', '--spec-version', '2026-07-28'];
  const { code, output } = await runProgram(
    [programs.conformance, 'server', ...args, '--expected-failures', expectedFailures('pending')],
    programs,
  );
  expect(code, output.slice(output.indexOf('=== SUMMARY'))).toBe(0);
  expect(output).toMatch(/http-header-validation: 14 passed, 0 failed/);
}, 240_000);

test('M24: the command line of the Inspector lists and calls', async (context) => {
  const programs = await programsFor(context);
  const { inspector } = programs;
  const url = await start();
  const inspect = (address: string, ...args: string[]) =>
    runProgram([inspector, '--cli', address, '--transport', 'http', ...args], programs);
  const listed = await inspect(`${url}/mcp/conformance?episode=i`, '--method', 'tools/list');
  expect(listed.output).toContain('test_simple_text');
  const called = await inspect(
    `${url}/mcp/tools`,
    ...['--method', 'tools/call', '--tool-name', 'Calculator_Add', '--tool-arg', 'a=1', '--tool-arg', 'b=2'],
  );
  expect(called.code, called.output).toBe(0);
  expect(called.output).toContain('"text": "3"');
}, 120_000);
