import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { PythonName } from './python-environment.ts';
import { PythonProcess } from './python-process.ts';

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
  describeWith('official', name, tests);
}

/** The same for those that need the trainers, the validators or the model. */
export function describeWithTrainers(name: string, tests: () => void): void {
  describeWith('trainers', name, tests);
}

function describeWith(packages: PythonName, name: string, tests: () => void): void {
  const python = inject('interopPython')[packages];
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
    python = new PythonProcess('official', 'run_flows.py', ...args);
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
  return shareServerProcess('official', 'serve.py', sdk);
}

/** The same with LangChain's tool server. */
export function shareLangChainServer(): () => string {
  return shareServerProcess('official', 'serve_langchain.py');
}

/** The same with a real model, a small one: chat completions, responses and messages, below `/v1`. */
export function shareRealModel(): () => string {
  return shareServerProcess('trainers', 'serve_model.py');
}

function shareServerProcess(packages: PythonName, script: string, ...args: string[]): () => string {
  let python: PythonProcess | undefined;
  let port = 0;
  beforeAll(async () => {
    python = new PythonProcess(packages, script, ...args);
    port = await python.read((line) => (/^\d+$/.test(line) ? Number(line) : undefined));
  });
  afterAll(() => python?.stop());
  return () => `http://127.0.0.1:${port}`;
}
