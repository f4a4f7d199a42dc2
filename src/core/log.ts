import { toText, toThrown } from './errors.ts';
import { printable } from './printable.ts';
import { redact, type Secrets } from './redact.ts';

/** Where an episode writes its log; pino's loggers fit. */
export interface Log {
  /** For debugging. */
  debug(fields: object, message?: string): void;
  /** What happens in normal use. */
  info(fields: object, message?: string): void;
  /** What somebody should look at. */
  warn(fields: object, message?: string): void;
  /** What failed. */
  error(fields: object, message?: string): void;
}

/** What authors get as `log`: a message first, then fields. */
export interface EpisodeLog {
  /** For debugging. */
  debug(message: string, fields?: object): void;
  /** What happens in normal use. */
  info(message: string, fields?: object): void;
  /** What somebody should look at; shown by default. */
  warn(message: string, fields?: object): void;
  /** What failed. */
  error(message: string, fields?: object): void;
}

/** A log that says nothing. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A log for one episode: every line carries its fields, and none carries a secret or steers a terminal. */
export function episodeLog(log: Log, fields: object, secrets: Secrets): EpisodeLog {
  const write = (level: keyof Log) => (message: string, more?: object) => {
    // Many are used to write the fields first, and JavaScript does not tell them.
    const [text, given] = typeof message === 'string' ? [message, more] : [toText(more ?? ''), message as object];
    log[level]({ ...fields, ...redactFields(given, secrets) }, printable(redact(text, secrets)));
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function redactFields(fields: object | undefined, secrets: Secrets): object {
  if (fields === undefined) return {};
  let text = '';
  try {
    text = printable(redact(JSON.stringify(fields, plainValues()), secrets));
    // This fails where a secret was also a number, or a mark of the JSON itself; the text is then written as it is.
    return JSON.parse(text) as object;
  } catch (thrown) {
    // A line that cannot be written must not be the end of what it tells about.
    return { unwritable: text || toThrown(thrown, (message) => printable(redact(message, secrets))).message };
  }
}

// Each object once: the cause of an HTTP client's error leads back to itself.
function plainValues(): (key: string, value: unknown) => unknown {
  const seen = new WeakSet<object>();
  return (_key, value) => {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return '[seen above]';
    seen.add(value);
    if (!(value instanceof Error)) return value;
    return { type: value.name, message: value.message, stack: value.stack, cause: value.cause };
  };
}
