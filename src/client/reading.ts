import { isObject } from '../protocol/index.ts';
import { UNEXPECTED_ANSWER, UNREADABLE_PART } from './errors.ts';
import { quote } from './quote.ts';

/** Takes the body of an answer for what it has to be; throws OddAnswer where it is something else. */
export type Reader<Value> = (body: unknown) => Value;

/** A part of an answer as it has to be; undefined if it is something else. */
export type PartReader<Value> = (sent: unknown) => Value | undefined;

/** An answer that makes no sense. Its message goes on after "the answer to GET /tools". */
export class OddAnswer extends Error {
  override readonly name = 'OddAnswer';
  /** What is wrong with it, for programs. */
  readonly code: string;

  constructor(message: string, code: string = UNEXPECTED_ANSWER) {
    super(message);
    this.code = code;
  }
}

/** Reads a list of things. */
export function listOf<Each>(what: string, toEach: PartReader<Each>): Reader<Each[]> {
  return (body) => {
    if (!Array.isArray(body)) throw new OddAnswer(`is not a list of ${what}s: ${quote(body)}`);
    return body.map((sent) => {
      const each = toEach(sent);
      if (each === undefined) throw new OddAnswer(`has a ${what} that cannot be read: ${quote(sent)}`, UNREADABLE_PART);
      return each;
    });
  };
}

/** Reads one thing. */
export function one<Value>(what: string, toValue: PartReader<Value>): Reader<Value> {
  return (body) => {
    const value = toValue(body);
    if (value === undefined) throw new OddAnswer(`is not a ${what}: ${quote(body)}`);
    return value;
  };
}

/** Reads what an object has under a key. */
export function under<Value>(key: string, read: Reader<Value>): Reader<Value> {
  return (body) => {
    if (!isObject(body) || body[key] === undefined) throw new OddAnswer(`has no ${key}: ${quote(body)}`);
    return read(body[key]);
  };
}
