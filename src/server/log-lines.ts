import { hostname } from 'node:os';
import type { LogStream } from './log-batches.ts';

/** The fields of a line that every request or call causes: flat, and nothing in them is secret. */
export type LineFields = Readonly<Record<string, string | number | undefined>>;

/** Writes a line at level info. */
export type WriteLine = (fields: LineFields, message: string) => void;

/** What of pino is used. */
export interface LineLogger {
  readonly levelVal?: number;
  info(fields: object, message: string): void;
}

const INFO = 30;

/**
 * Lines as pino would write them, for the two that every call causes. Pino looks at each field's serializers, redaction
 * and formatters, of which there are none here; that was a tenth of a call.
 */
export function lineWriter(logger: LineLogger, stream: LogStream): WriteLine {
  const base = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  return (fields, message) => {
    // At any time, because a level can be changed while the server runs.
    if ((logger.levelVal ?? INFO) > INFO) return;
    const time = Date.now();
    stream.write(() => `{"level":${INFO},"time":${time},${base}${members(fields)},"msg":"${message}"}\n`);
  };
}

function members(fields: LineFields): string {
  let text = '';
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) text += `,"${name}":${typeof value === 'number' ? value : quote(value)}`;
  }
  return text;
}

// Most values are ids and paths, which need no escape.
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quote(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}
