import { type Log, printable, toThrown } from '../../core/index.ts';

/**
 * Writes errors that nobody caught into the log, and goes on. They come from authors' code: a promise that was not
 * awaited, or a timer of one episode. To end the process would end all other episodes for it.
 */
export function surviveStrayErrors(log: Log): void {
  process.on('uncaughtException', (thrown, origin) => {
    const what = origin === 'unhandledRejection' ? 'a promise was rejected' : 'an error was thrown';
    log.error(
      { error: toThrown(thrown, printable), origin },
      `${what} where nobody catches it. The server goes on; await the promise, or catch the error, in the tool that left it`,
    );
  });
}
