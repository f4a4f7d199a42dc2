import type { Server } from '../../server/index.ts';

/** Ends the server in good order at the first SIGINT or SIGTERM, and at once at the second. */
export function closeOnSignals(server: Server): void {
  let closing = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (closing) process.exit(1);
    closing = true;
    process.stderr.write(`\n${signal}: ending the sessions. Again to stop at once.\n`);
    server.close().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`tiltyard: ${error}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
