import { type Log, printable, toError, toThrown } from '../core/index.ts';
import { logOfRunningCode } from './author-code.ts';

/**
 * Writes errors that nobody caught into the log, and goes on. They come from authors' code: a promise that was not
 * awaited, or a timer of one episode. To end the process would end all other episodes for it. Those of an episode with secrets go
 * through its log, which names it and hides them. Disposing of it lets them end the process again.
 */
export function surviveStrayErrors(log: Log): Disposable {
  const listener: NodeJS.UncaughtExceptionListener = (thrown, origin) => {
    const what = origin === 'unhandledRejection' ? 'a promise was rejected' : 'an error was thrown';
    const message = `${what} where nobody catches it. The server goes on; await the promise, or catch the error, in the tool that left it`;
    const ownersLog = logOfRunningCode();
    if (ownersLog === undefined) log.error({ error: toThrown(thrown, printable), origin }, message);
    else ownersLog.error(message, { error: toError(thrown), origin });
  };
  process.on('uncaughtException', listener);
  return { [Symbol.dispose]: () => void process.off('uncaughtException', listener) };
}
