/** Where an episode writes its log; pino's loggers fit. */
export interface Log {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

/** What authors get as `log`: a message first, then fields. */
export interface EpisodeLog {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** The secrets of one episode, by name. */
export type Secrets = Readonly<Record<string, string>>;

/** A log that says nothing. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

// Shorter values are words of ordinary text; hiding every "a" would hide the message instead.
const SHORTEST_SECRET = 4;

/** The same text without any of the secrets' values. */
export function redact(value: string, secrets: Secrets): string {
  let clean = value;
  for (const secret of Object.values(secrets)) {
    if (secret.length < SHORTEST_SECRET) continue;
    clean = clean.replaceAll(secret, '[secret]');
    const quoted = JSON.stringify(secret).slice(1, -1);
    if (quoted !== secret) clean = clean.replaceAll(quoted, '[secret]');
  }
  return clean;
}

/** A log for one episode: every line carries its fields, and none carries a secret. */
export function episodeLog(log: Log, fields: object, secrets: Secrets): EpisodeLog {
  const write = (level: keyof Log) => (message: string, more?: object) =>
    log[level]({ ...fields, ...redactFields(more, secrets) }, redact(message, secrets));
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function redactFields(fields: object | undefined, secrets: Secrets): object {
  if (fields === undefined) return {};
  return JSON.parse(redact(JSON.stringify(fields, plainError), secrets)) as object;
}

function plainError(_key: string, value: unknown): unknown {
  if (value instanceof Error)
    return { type: value.name, message: value.message, stack: value.stack, cause: value.cause };
  return typeof value === 'bigint' ? String(value) : value;
}
