import { longestStopMs, type Server } from '../../../server/index.ts';
import { EXIT_CODES } from '../failure.ts';
import { onSignals } from '../signals.ts';

// For what has no limit of its own, such as writing the last lines of the log.
const SLACK_MS = 1_000;

/**
 * Ends the server in good order at the first signal, or when nobody reads its log any more; at once at the second
 * signal, or when that takes too long.
 */
export function stopWhenTold(server: Server, unread: Promise<void>): void {
  const patience = `waiting up to ${server.limits.drainMs / 1000} s for running calls, then ending sessions.`;
  let isStopping = false;
  const stop = (message: string, exitCode: number) => {
    if (isStopping) return;
    isStopping = true;
    process.stderr.write(message);
    const deadlineMs = longestStopMs(server.limits) + SLACK_MS;
    setTimeout(() => fail(`did not stop within ${deadlineMs / 1000} s: exiting now`), deadlineMs);
    server.close().then(
      () => process.exit(exitCode),
      (error) => fail(String(error)),
    );
  };
  // Until the process ends.
  onSignals({
    first: (signal) => stop(`\n${signal}: ${patience} Press again to stop now.\n`, EXIT_CODES.ok),
    again: () => process.exit(EXIT_CODES.failed),
  });
  // By itself, and has said why: a failure as well.
  server.app.server.once('close', () => void (isStopping || process.exit(EXIT_CODES.failed)));
  // A failure, so that a supervisor starts it again, with somebody to read what it logs.
  void unread.then(() =>
    stop(`tiltyard: standard output was closed, so nobody reads the log: ${patience}\n`, EXIT_CODES.failed),
  );
}

function fail(problem: string): never {
  process.stderr.write(`tiltyard: ${problem}\n`);
  process.exit(EXIT_CODES.failed);
}
