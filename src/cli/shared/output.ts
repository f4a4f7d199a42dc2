import { allowExit } from './early-exit.ts';

/** Ends the command as soon as its reader has seen enough, as `head` does: that is no failure. */
export function endWithReader(): void {
  process.stdout.on('error', end);
}

/**
 * For a command that serves others, and must not end with its reader: resolves when nobody reads standard output any
 * more. It notices at the next line that it writes.
 */
export function untilUnread(): Promise<void> {
  process.stdout.off('error', end);
  // Often the same pipe, and then there is nobody left to tell.
  process.stderr.on('error', () => {});
  return new Promise((resolve) => {
    let complainedAt = Number.NEGATIVE_INFINITY;
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (GONE.has(error.code)) return resolve();
      // A full disk, say: it may have room again, and until then episodes are worth more than lines.
      if (Date.now() - complainedAt < COMPLAIN_AGAIN_MS) return;
      complainedAt = Date.now();
      process.stderr.write(`tiltyard: cannot write to standard output, so lines are lost: ${error.message}\n`);
    });
  });
}

// Each line that is lost fails anew. Often enough to see that it lasts, or has come again.
const COMPLAIN_AGAIN_MS = 60_000;

const TERMINAL_GONE = 'EIO';

// Of a pipe, of a socket, of a terminal.
const GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', TERMINAL_GONE]);

function end(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') {
    allowExit();
    process.exit();
  }
  // SIGHUP says so as well, and a command that hears it has to clean up.
  if (error.code !== TERMINAL_GONE) throw error;
}
