import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, inject } from 'vitest';

/** One of the official packages. */
export type Sdk = 'ors' | 'openreward';

/** The kinds of client that both packages have. */
export const MODES = ['sync', 'async'] as const;
export type Mode = (typeof MODES)[number];

/** A client of an official package; the further options are the client's own. */
export interface OfficialClient {
  readonly sdk: Sdk;
  readonly mode: Mode;
  readonly api_key?: string;
  readonly variant?: string;
  readonly address?: 'argument' | 'variable';
}

/** A client of OXP: the official one, or LangChain's. */
export interface OxpPythonClient {
  readonly sdk: 'oxp' | 'langchain';
  readonly mode: Mode;
  /** The bearer token; null for none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Runs a flow of python/ with a client, against the server at `url`, and gives what its caller saw. */
export type RunFlow<Client = OfficialClient> = (
  flow: string,
  client: Client & { url: string },
  args?: object,
) => Promise<any>;

/** A describe that needs the official packages; without them its tests are skipped, and their names say why. */
export function describeWithPython(name: string, tests: () => void): void {
  const python = inject('interopPython');
  if ('missing' in python) describe.skip(`${name} (skipped: ${python.missing})`, tests);
  else describe(name, tests);
}

/** One process for all flows of a file, those of python/flows.py; flows may run side by side. */
export function shareFlows(): RunFlow {
  return shareProcess([]);
}

/** The same for the flows of python/oxp_flows.py. */
export function shareOxpFlows(): RunFlow<OxpPythonClient> {
  return shareProcess(['oxp_']);
}

function shareProcess<Client extends { sdk: string }>(args: string[]): RunFlow<Client> {
  let python: PythonProcess | undefined;
  let asked = 0;
  beforeAll(() => {
    python = new PythonProcess('run_flows.py', ...args);
  });
  afterAll(() => python?.stop());
  return async (flow, { sdk, ...client }, values = {}) => {
    if (python === undefined) throw new Error('flows run only while tests do');
    const id = asked++;
    python.write(JSON.stringify({ id, flow, sdk, client, arguments: values }));
    const answer = await python.read((line) => {
      const parsed = JSON.parse(line);
      return parsed.id === id ? parsed : undefined;
    });
    if (answer.failure !== undefined) throw new Error(`the flow '${flow}' failed:\n${answer.failure}`);
    return answer.result;
  };
}

/** One official server for all tests of a file; the returned function gives its address while they run. */
export function shareOfficialServer(sdk: Sdk): () => string {
  return shareServerProcess('serve.py', sdk);
}

/** The same with LangChain's tool server. */
export function shareLangChainServer(): () => string {
  return shareServerProcess('serve_langchain.py');
}

function shareServerProcess(script: string, ...args: string[]): () => string {
  let python: PythonProcess | undefined;
  let port = 0;
  beforeAll(async () => {
    python = new PythonProcess(script, ...args);
    port = await python.read((line) => (/^\d+$/.test(line) ? Number(line) : undefined));
  });
  afterAll(() => python?.stop());
  return () => `http://127.0.0.1:${port}`;
}

// How much of a process's complaints is kept for the message of a failed test.
const KEPT_CHARACTERS = 5_000;

/** A script of python/ that is spoken to by lines; it ends when its input does. */
class PythonProcess {
  readonly #child: ReturnType<typeof spawnScript>;
  readonly #readers = new Set<(line: string) => void>();
  readonly #ended: Promise<never>;
  #complaints = '';

  constructor(script: string, ...args: string[]) {
    this.#child = spawnScript(script, args);
    this.#child.stderr.on('data', (data) => {
      this.#complaints = (this.#complaints + data).slice(-KEPT_CHARACTERS);
    });
    createInterface(this.#child.stdout).on('line', (line) => {
      for (const reader of [...this.#readers]) reader(line);
    });
    this.#ended = once(this.#child, 'close').then(([code]) => {
      throw new Error(`${script} ended with ${code}:\n${this.#complaints}`);
    });
    // Stopping is not a failure; whoever reads is told.
    this.#ended.catch(() => {});
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Waits for a line that `take` makes something of. */
  async read<Value>(take: (line: string) => Value | undefined): Promise<Value> {
    let reader: ((line: string) => void) | undefined;
    const taken = new Promise<Value>((resolve, reject) => {
      reader = (line) => {
        try {
          const value = take(line);
          if (value !== undefined) resolve(value);
        } catch (error) {
          reject(error);
        }
      };
      this.#readers.add(reader);
    });
    try {
      return await Promise.race([taken, this.#ended]);
    } finally {
      if (reader !== undefined) this.#readers.delete(reader);
    }
  }

  async stop(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended.catch(() => {});
  }
}

function spawnScript(script: string, args: string[]) {
  const path = fileURLToPath(new URL(`python/${script}`, import.meta.url));
  return spawn(pythonPath(), [path, ...args], { env: environment(), stdio: 'pipe' });
}

function pythonPath(): string {
  const python = inject('interopPython');
  if ('missing' in python) throw new Error(python.missing);
  return python.path;
}

// Nothing of this machine's settings may lead the SDKs elsewhere, and nothing but the test's server is asked.
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ors|openreward|oxp|langsmith)_|_proxy$/i.test(name));
  return { ...Object.fromEntries(kept), OPENREWARD_DISABLE_UPDATE_CHECK: '1', PYTHONDONTWRITEBYTECODE: '1' };
}
