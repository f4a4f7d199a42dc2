import { surviveStrayErrors } from '../../sessions/index.ts';
import { StrayErrors } from './stray-errors.ts';

/**
 * For a command that loads an author's code into its own process: until this is disposed of, what the code prints goes to
 * standard error, and errors that it leaves behind do not end the command. A terminal that was made before prints as ever.
 */
export function besideAuthorsCode(): Disposable {
  const { stdout, stderr } = process;
  const { write } = stdout;
  stdout.write = stderr.write.bind(stderr) as typeof write;
  const surviving = surviveStrayErrors(new StrayErrors().log);
  return {
    [Symbol.dispose]() {
      stdout.write = write;
      surviving[Symbol.dispose]();
    },
  };
}
