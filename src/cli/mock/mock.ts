import { cassette } from '../../testing/index.ts';
import { untilUnread } from '../shared/output.ts';
import { takeAccess } from '../shared/serving/access.ts';
import { banner } from '../shared/serving/banner.ts';
import { defaultPort } from '../shared/serving/port.ts';
import { stopWhenTold } from '../shared/serving/stopping.ts';
import { toRecordMisuse } from '../shared/unreadable.ts';

/** The options of `tiltyard mock`. */
export interface MockOptions {
  readonly port?: number;
  readonly host: string;
  readonly auth: boolean;
  readonly json?: boolean;
}

/** Serves records until a signal ends it. */
export async function mock(records: readonly string[], options: MockOptions): Promise<void> {
  const unread = untilUnread();
  const warn = (message: string) => void process.stderr.write(`tiltyard: ${message}\n`);
  const auth = await takeAccess(options, warn);
  const { host, port = defaultPort(process.env), json = false } = options;
  const served = { host, port, options: { auth, logger: { level: 'warn' } } };
  const { server } = await cassette(records, served).catch((thrown: unknown) => {
    throw toRecordMisuse(thrown);
  });
  stopWhenTold(server, unread);
  process.stdout.write(banner(server.served, { url: server.url, json, auth }));
}
