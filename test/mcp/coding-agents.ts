import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentCli } from 'tiltyard/rollouts';
import { temporaryFolder } from '../support/folder.ts';
import type { FakeWire } from '../support/model/script.ts';

/** A coding agent as npm has it, and how it is pointed at a model of the test's. */
export interface CodingAgent {
  readonly cli: AgentCli;
  readonly packages: Readonly<Record<string, string>>;
  /** The API that it speaks to its model. */
  readonly wire: FakeWire;
  /** What its user has configured: variables, arguments, and files in the home folder. */
  configure(model: string): Configured;
}

interface Configured {
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly home?: Readonly<Record<string, object>>;
}

/** Those that are tried, each with another client of MCP in it. */
export const CODING_AGENTS: readonly CodingAgent[] = [
  {
    cli: 'gemini',
    packages: { '@google/gemini-cli': '0.61.0' },
    wire: 'google',
    configure: (model) => ({
      env: { GEMINI_API_KEY: 'fake', GOOGLE_GEMINI_BASE_URL: model, GEMINI_MODEL: 'gemini-2.5-flash' },
      home: {
        '.gemini/settings.json': {
          general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
          privacy: { usageStatisticsEnabled: false },
          security: { auth: { selectedType: 'gemini-api-key' } },
        },
      },
    }),
  },
  {
    cli: 'codex',
    packages: { '@openai/codex': '0.166.0' },
    wire: 'openai-responses',
    configure: (model) => ({
      env: { FAKE_KEY: 'fake' },
      args: [
        ['model', '"fake"'],
        ['model_provider', '"fake"'],
        ['model_providers.fake.name', '"fake"'],
        ['model_providers.fake.base_url', `"${model}/v1"`],
        ['model_providers.fake.env_key', '"FAKE_KEY"'],
        ['model_providers.fake.wire_api', '"responses"'],
        ['check_for_update_on_startup', 'false'],
        ['analytics.enabled', 'false'],
      ].flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    }),
  },
];

/** A home folder for a coding agent, so that nothing of the user's is read or changed; it goes when the test ends. */
export async function homeFor({ home = {} }: Configured): Promise<string> {
  const folder = temporaryFolder('tiltyard-home-');
  for (const [path, content] of Object.entries(home)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(content));
  }
  return folder;
}

/** Variables that keep a program in its home folder, and on this machine. */
export function homeVariables(HOME: string): Record<string, string> {
  const places = { CONFIG: '.config', DATA: '.local/share', STATE: '.local/state', CACHE: '.cache' };
  const xdg = Object.entries(places).map(([name, path]) => [`XDG_${name}_HOME`, join(HOME, path)]);
  // The model is here: no proxy knows the way.
  const direct = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return { HOME, ...Object.fromEntries([...xdg, ...direct.map((name) => [name, ''])]) };
}
