import { misuse } from '../failure.ts';

const DEFAULT_PORT = 8080;

/** The port to listen on when the command line names none. */
export function defaultPort({ PORT }: NodeJS.ProcessEnv): number {
  if (PORT === undefined || PORT === '') return DEFAULT_PORT;
  const port = Number(PORT);
  if (!/^\d+$/.test(PORT) || port > 65_535) throw misuse(`PORT must be a number from 0 to 65535, not '${PORT}'`);
  return port;
}
