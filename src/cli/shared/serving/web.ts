import type { WebOptions } from '../../../server/index.ts';
import { misuse } from '../failure.ts';

/** What the command line says about names and web pages. */
export interface WebArguments {
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
}

/** Under which names to serve, and for which web pages. */
export async function toWebOptions({ allowHost, allowOrigin }: WebArguments): Promise<WebOptions> {
  if (allowHost === undefined && allowOrigin === undefined) return {};
  const options = { allowHosts: allowHost, allowOrigins: allowOrigin };
  // Loaded only here: `tiltyard dev` serves in other processes.
  const { assertWebOptions } = await import('../../../server/index.ts');
  try {
    assertWebOptions(options, { allowHosts: '--allow-host', allowOrigins: '--allow-origin' });
  } catch (thrown) {
    throw misuse((thrown as Error).message);
  }
  return options;
}
