import type { FastifyRequest } from 'fastify';
import { cutText, describe, type Limits, TiltyardError, toError } from '../../core/index.ts';
import { excessIn, isObject, type JsonObject, MAX_JSON_LEVELS, parsedBytes } from '../../protocol/index.ts';
import { placeOfHugeNumber } from './huge-numbers.ts';
import { unsignZeros } from './minus-zeros.ts';
import { reachesPrototype } from './prototype-keys.ts';

/** Parses bodies; keys that would reach an object's prototype are refused. */
export type BodyParser = (request: Pick<FastifyRequest, 'headers' | 'body'>) => JsonObject;

/** The same of any JSON. */
export type JsonParser = (request: Pick<FastifyRequest, 'headers' | 'body'>) => unknown;

/** A parser of bodies. */
export function bodyParser(limits: Pick<Limits, 'maxInputValues'>): BodyParser {
  const parse = jsonParser(limits);
  return (request) => {
    const parsed = parse(request);
    if (!isObject(parsed)) throw badRequest(`the body must be a JSON object, not ${describe(parsed)}`);
    return parsed as JsonObject;
  };
}

/** A parser of bodies that need not be objects. */
export function jsonParser({ maxInputValues }: Pick<Limits, 'maxInputValues'>): JsonParser {
  return (request) => {
    // The usual one first: it need not be looked at closely.
    if (request.headers['content-type'] !== 'application/json') requireJson(request);
    const text = request.body as string | undefined;
    if (text === undefined || text === '') throw badRequest('this request needs a JSON object as its body');
    // A level takes a character: most bodies are too short for as many.
    if (text.length > MAX_JSON_LEVELS) assertShallow(text, maxInputValues);
    const parsed = parse(text);
    // Both ways to a prototype have a key with these letters, and most bodies have none, not even in escapes.
    const isHarmless = !text.includes('proto') && !text.includes('\\u') && !MAY_BE_EXTREME.test(text);
    if (!isHarmless || (text.includes('-0') && MINUS_ZERO.test(text))) makeHarmless(parsed);
    return parsed;
  };
}

// A number with fewer digits and a shorter exponent is neither beyond what a double can hold nor too near to zero.
const MAY_BE_EXTREME = /\d[eE][+-]?\d{3}|(?<!\d)\d{200}/;

// Neither -0.5, which is frequent, nor a part of an id or a date.
const MINUS_ZERO = /(?<![\w-])-0(?!\.0*[1-9])/;

function makeHarmless(parsed: unknown): void {
  if (reachesPrototype(parsed))
    throw badRequest("the body may not have the keys '__proto__' and 'constructor.prototype'");
  const huge = placeOfHugeNumber(parsed);
  if (huge !== undefined)
    throw badRequest(`the number at '${cutText(huge, 200)}' is too large: at most 1.79e308 is possible`);
  unsignZeros(parsed);
}

/** About how much memory the body of a call takes. One too short for many values is not looked at. */
export function bytesOfCall(text: string): number {
  return text.length > MAX_JSON_LEVELS ? parsedBytes(text) : text.length;
}

function assertShallow(text: string, maxContainers: number): void {
  const excess = excessIn(text, { containers: maxContainers });
  if (excess === 'levels')
    throw badRequest(`the body is nested too deeply: it may have at most ${MAX_JSON_LEVELS} levels`);
  if (excess === 'containers')
    throw badRequest(`the body has more than ${maxContainers} objects and lists (limit maxInputValues)`);
}

/**
 * Throws for a body that is not said to be JSON. Not only for the sake of order: a web page may send any other type, or none,
 * to any server without asking it first.
 */
export function requireJson({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): void {
  const type = headers['content-type'];
  if (body === undefined || body === '' || JSON_TYPE.test(type ?? '')) return;
  const given = type === undefined ? '' : `, not ${describe(type)}`;
  throw new TiltyardError('unsupported_media_type', `send the body as Content-Type: application/json${given}`);
}

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

function parse(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (thrown) {
    // Only the place is told: the message quotes the body, which may hold secrets.
    const position = /position \d+/.exec(toError(thrown).message);
    throw badRequest(`the body is not valid JSON${position === null ? '' : `: it breaks at ${position[0]}`}`);
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/** The error of a body that cannot be read. */
export function badRequest(message: string): TiltyardError {
  return new TiltyardError('bad_request', message);
}
