import { keyFromEnvironment } from '../../client/index.ts';
import { misuse } from './failure.ts';
import type { ModuleOptions, Target } from './serve-module.ts';

/** Opens what a person named: a URL, or a module, which is then served on this machine until the target is disposed of. */
export async function openTarget(text: string, options: ModuleOptions = {}): Promise<Target> {
  if (toUrl(text) !== undefined) return remote(text);
  const { serveModule } = await import('./serve-module.ts');
  return serveModule(text, options);
}

/** The URL that a text means, or undefined if it names a file. */
export function toUrl(text: string): string | undefined {
  const url = withScheme(text);
  if (url !== undefined && !/^https?:\/\/./i.test(url))
    throw misuse(`'${text}' is not the URL of a server: it must begin with http:// or https://, and name a host`);
  if (url !== undefined && !URL.canParse(url))
    throw misuse(`'${text}' is not a valid URL. Write it like http://localhost:8080; ports end at 65535`);
  return url?.replace(/\/+$/, '');
}

function withScheme(text: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text;
  // As people type it: localhost:8080, 127.0.0.1:8080, example.org:443.
  return /^(?:\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}(?:\/|$)/i.test(text) ? `http://${text}` : undefined;
}

function remote(text: string): Target {
  return {
    url: toUrl(text) as string,
    // Never from the command line, which others can read.
    apiKey: keyFromEnvironment(),
    module: undefined,
    async [Symbol.asyncDispose]() {},
  };
}
