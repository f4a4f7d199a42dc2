import type { JsonValue } from '../protocol/index.ts';
import type { Stop } from './end.ts';
import type { KnownInstance } from './instance.ts';

/** One request. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: JsonValue | undefined;
  readonly sid?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: Stop | undefined;
  /** Hears which instance of the server answers. */
  readonly hearer?: KnownInstance | undefined;
  /** The only instance that may answer: any other has to refuse. */
  readonly instance?: string | undefined;
}

/** An answer that has been read to its end. */
export interface Answer {
  readonly headers: Headers;
  readonly text: string;
}

/** An answer with a status that is an error, read to its end. */
export interface ErrorAnswer extends Answer {
  readonly status: number;
  readonly statusText: string;
}
