import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { installPackages, NotInstalled } from '../support/needed.ts';

/** The path of nginx, or why there is none; installed from the system's packages where that may be done. */
export async function findNginx(): Promise<{ readonly path: string } | { readonly missing: string }> {
  if (await hasNginx()) return { path: 'nginx' };
  try {
    await installPackages('nginx-light');
  } catch (thrown) {
    if (!(thrown instanceof NotInstalled)) throw thrown;
    return { missing: thrown.message };
  }
  return (await hasNginx()) ? { path: 'nginx' } : { missing: 'it was installed and does not run' };
}

/** nginx with the configuration of deploy/, in front of replicas. */
export interface Nginx extends AsyncDisposable {
  readonly url: string;
}

/** A configuration of deploy/, and what it calls the servers behind it, before their number. */
export interface NginxSetup {
  readonly file: string;
  readonly server: string;
}

const REPLICAS: NginxSetup = { file: 'nginx.conf', server: 'replica' };
export const CLUSTER: NginxSetup = { file: 'cluster.nginx.conf', server: 'node' };

/** Starts nginx with a file of deploy/, word for word but for the addresses. */
export async function startNginx(
  path: string,
  urls: readonly string[],
  { file: source, server }: NginxSetup = REPLICAS,
): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-nginx-'));
  const port = await freePort();
  const text = await readFile(new URL(`../../deploy/${source}`, import.meta.url), 'utf8');
  const configuration = urls
    .reduce((part, url, index) => part.replace(`${server}-${index + 1}:8080`, new URL(url).host), text)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    // Its own folder, rather than the system's, for what it writes.
    .replace('http {', `http {\n  client_body_temp_path ${folder}/body;\n  proxy_temp_path ${folder}/proxy;`);
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration);
  const nginx = spawn(path, ['-e', 'stderr', '-p', folder, '-c', file, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(nginx, 'exit');
  await untilListening(port, ended);
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      nginx.kill('SIGQUIT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function hasNginx(): Promise<boolean> {
  return promisify(execFile)('nginx', ['-v']).then(
    () => true,
    () => false,
  );
}

async function untilListening(port: number, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (;;) {
    const answered = await fetch(`http://127.0.0.1:${port}/health`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (isOver) throw new Error('nginx ended at once');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
