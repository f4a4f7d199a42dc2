import type { Client, Fetch, OxpClient } from '../../client/index.ts';
import type { ServedModule } from './serve-module.ts';

/** A server that a command speaks to, over both protocols. */
export interface OpenServer {
  /** As the person named it: a URL or a module. */
  readonly name: string;
  readonly url: string;
  /** Empty where none shall be sent. */
  readonly apiKey: string | undefined;
  readonly ors: Client;
  readonly oxp: OxpClient;
  /** Shows that the server is waited for, until it answers for the first time. */
  readonly fetch: Fetch;
  /** The same with another fetch, for clients of its own. */
  readonly watch: (fetch: Fetch) => Fetch;
  /** What is known of a module, if the server was started for this command. */
  readonly module: ServedModule | undefined;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
}
