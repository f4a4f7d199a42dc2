import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { installPackages, NotInstalled } from '../support/needed.ts';

// Where Debian, Ubuntu and others put it.
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of Chromium, or why there is none; installed from the system's packages where that may be done. */
export async function findChromium(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const path = PATHS.find((each) => existsSync(each));
  if (path !== undefined) return { path };
  try {
    await installPackages('chromium');
  } catch (thrown) {
    if (!(thrown instanceof NotInstalled)) throw thrown;
    return { missing: thrown.message };
  }
  const installed = PATHS.find((each) => existsSync(each));
  return installed === undefined ? { missing: 'it was installed and is not there' } : { path: installed };
}

/** Starts Chromium as people use it, except that `names` resolve to this machine. */
export function startChromium(executablePath: string, names: readonly string[]): Promise<Browser> {
  const rules = names.map((name) => `MAP ${name} 127.0.0.1`).join(', ');
  return chromium.launch({
    executablePath,
    args: [
      `--host-resolver-rules=${rules}`,
      // Its sandbox needs rights that a container's root does not have.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      // Else it asks somebody whether a page may use the local network, and nobody is there: older ones do not ask.
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
    ],
  });
}
