import type { Environment } from '../core/index.ts';
import { startServer, type TestServer, type TestServerOptions } from './served.ts';

/** Serves environments and records every episode that is played there into a folder, for `cassette`. */
export async function record(
  environments: Environment | readonly Environment[],
  folder: string,
  options: TestServerOptions = {},
): Promise<TestServer> {
  return startServer({ environments: [environments].flat(), record: { folder } }, options);
}
