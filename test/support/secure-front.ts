import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './folder.ts';

/** A server behind TLS, as most are that are not on this machine. */
export interface SecureFront {
  readonly url: string;
  /** A file with the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly certificate: string;
  /** How many connections got through the handshake. */
  readonly connections: () => number;
}

/** Ends TLS in front of a server, with a certificate for `localhost` that nobody has signed. */
export async function secureFront(target: string): Promise<SecureFront> {
  const { hostname, port } = new URL(target);
  let connections = 0;
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (socket) => {
    connections += 1;
    const behind = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const)
      one.pipe(other).on('error', () => one.destroy());
  });
  // A client that does not trust the certificate leaves.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = temporaryFolder('tiltyard-secure-');
  onTestFinished(() => void server.close());
  const certificate = join(folder, 'certificate.pem');
  await writeFile(certificate, CERTIFICATE);
  const { port: own } = server.address() as AddressInfo;
  return { url: `https://localhost:${own}`, certificate, connections: () => connections };
}

// For `localhost`, for a hundred years; used nowhere but here.
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUNrnORdCpMIJ6u6/PSiq0vyJGTfQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNzIyNDMzMloYDzIxMjYxMDI0
MjI0MzMyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATx/THGWNsmOF0OjZvOqzp0vcjg5b3eZelRnvCMmwghM0emD7jF/Ygw
CPKHGJEHotWDSQHeECpKeWrGx/voXNjPo28wbTAdBgNVHQ4EFgQUaMCNqJSPubd8
+idTiBgIJtiHYWcwHwYDVR0jBBgwFoAUaMCNqJSPubd8+idTiBgIJtiHYWcwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAOh1CRQWEpwqpdfgBeoKalCRHLuuHVAkx6jSDACS5UUsAiEA
l4iMnmXd22v0Hi+ucWSCChsjnNd5uxNAXI/+8AkUTIM=
-----END CERTIFICATE-----
`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgP0sDoF88W0PqOiSN
FK8CgJQQbkXtKWnsj4QZcnezKOOhRANCAATx/THGWNsmOF0OjZvOqzp0vcjg5b3e
ZelRnvCMmwghM0emD7jF/YgwCPKHGJEHotWDSQHeECpKeWrGx/voXNjP
-----END PRIVATE KEY-----
`;
