import { longestStopMs, type Server } from '../../server/index.ts';
import { onSignals } from '../shared/signals.ts';

// For what has no limit of its own, such as writing the last lines of the log.
const SLACK_MS = 1_000;

/** Ends the server in good order at the first SIGINT or SIGTERM, and at once at the second or when that takes too long. */
export function closeOnSignals(server: Server): void {
  const close = (signal: NodeJS.Signals) => {
    const { drainMs } = server.limits;
    process.stderr.write(
      `\n${signal}: calls may end within ${drainMs / 1000} s, then sessions end. Again to stop at once.\n`,
    );
    const deadlineMs = longestStopMs(server.limits) + SLACK_MS;
    setTimeout(() => fail(`did not stop within ${deadlineMs / 1000} s, and is ended now`), deadlineMs);
    server.close().then(
      () => process.exit(0),
      (error) => fail(String(error)),
    );
  };
  // Until the process ends.
  onSignals({ first: close, again: () => process.exit(1) });
}

function fail(problem: string): never {
  process.stderr.write(`tiltyard: ${problem}\n`);
  process.exit(1);
}
