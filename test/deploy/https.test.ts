import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createSecureServer } from 'node:tls';
import { promisify } from 'node:util';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { hello } from '../../examples/hello/environment.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipAloud } from '../support/needed.ts';

const openssl = promisify(execFile)('openssl', ['version']).then(
  () => true,
  () => false,
);
if (!(await openssl)) skipAloud('commands over HTTPS', 'there is no openssl to make a certificate with');

interface Secure {
  readonly url: string;
  /** The file with the certificate, which nobody trusts by himself. */
  readonly certificate: string;
  /** How many connections were made. */
  readonly connections: () => number;
}

/** A server behind something that ends TLS, as load balancers do. */
async function serveSecurely(): Promise<Secure> {
  const folder = temporaryFolder('tiltyard-https-');
  const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certificate, ...name]);
  const server = await createServer({ environments: [hello], logger: false });
  const { port } = new URL(await server.listen());
  let connections = 0;
  const key = await readFile(keyFile);
  const secure = createSecureServer({ key, cert: await readFile(certificate) }, (socket) => {
    connections += 1;
    const inner = connect(Number(port), '127.0.0.1');
    inner.on('error', () => socket.destroy());
    socket.on('error', () => inner.destroy());
    socket.pipe(inner).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  onTestFinished(async () => {
    secure.close();
    await server.close();
  });
  const url = `https://localhost:${(secure.address() as AddressInfo).port}`;
  return { url, certificate, connections: () => connections };
}

async function out(): Promise<string> {
  return join(temporaryFolder('tiltyard-https-run-'), 'run');
}

test.skipIf(!(await openssl))(
  'Q5: tiltyard run plays on a server behind HTTPS whose certificate it was told to trust, over few connections',
  async () => {
    const { url, certificate, connections } = await serveSecurely();
    const args = ['run', url, '--policy', 'random', '--n', '3', '--k', '4', '--concurrency', '2', '--json'];
    const { exit, stdout, output } = run([...args, '--out', await out()], { NODE_EXTRA_CA_CERTS: certificate });
    expect(await exit, output()).toBe(0);
    expect(JSON.parse(stdout())).toMatchObject({ coverage: 1 });
    // Each is used again: an episode has five requests, and more.
    expect(connections()).toBeLessThan(12);
  },
);

test.skipIf(!(await openssl))(
  'Q5: a certificate that nobody vouches for is refused, and the error says so',
  async () => {
    const { url } = await serveSecurely();
    const { exit, output } = run(['run', url, '--policy', 'random', '--n', '1', '--out', await out()]);
    expect(await exit).not.toBe(0);
    expect(output()).toMatch(/certificate/);
  },
);
