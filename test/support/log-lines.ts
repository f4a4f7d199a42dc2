import { Writable } from 'node:stream';

/** A logger that writes everything, and what it wrote. */
export interface LogLines {
  readonly logger: { level: 'trace'; stream: Writable };
  /** The lines so far, as they would stand on standard output. */
  text(): string;
}

/** Collects the log of a server: `startServer({ logger: lines.logger })`. */
export function logLines(): LogLines {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  return { logger: { level: 'trace', stream }, text: () => written.join('') };
}

/** The lines with a message, as objects. */
export function linesOf({ text }: LogLines, message: string): any[] {
  return text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === message);
}
