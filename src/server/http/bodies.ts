import type { FastifyRequest } from 'fastify';
import { describe, type Limits, TiltyardError, toError } from '../../core/index.ts';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import { MAX_LEVELS, nestingExcess, reachesPrototype } from './json-text.ts';

/** Parses bodies; keys that would reach an object's prototype are refused. */
export type BodyParser = (request: Pick<FastifyRequest, 'headers' | 'body'>) => JsonObject;

/** A parser of bodies. */
export function bodyParser({ maxInputValues }: Pick<Limits, 'maxInputValues'>): BodyParser {
  return (request) => {
    const type = request.headers['content-type'];
    // The usual one first: it need not be looked at closely.
    if (type !== 'application/json' && type !== undefined && !/^application\/([\w.+-]+\+)?json\b/i.test(type)) {
      throw new TiltyardError(
        'unsupported_media_type',
        `send the body as Content-Type: application/json, not '${type}'`,
      );
    }
    const text = request.body as string | undefined;
    if (text === undefined || text === '') throw bad('this request needs a JSON object as its body');
    // A level takes a character: most bodies are too short for as many.
    if (text.length > MAX_LEVELS) assertShallow(text, maxInputValues);
    const parsed = parse(text);
    if (!isHarmless(text) && reachesPrototype(parsed))
      throw bad("the body may not have the keys '__proto__' and 'constructor.prototype'");
    if (!isObject(parsed)) throw bad(`the body must be a JSON object, not ${describe(parsed)}`);
    return parsed as JsonObject;
  };
}

function assertShallow(text: string, maxContainers: number): void {
  const excess = nestingExcess(text, maxContainers);
  if (excess === 'levels') throw bad(`the body is nested too deeply: it may have at most ${MAX_LEVELS} levels`);
  if (excess === 'containers')
    throw bad(`the body has more than ${maxContainers} objects and lists (limit maxInputValues)`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (thrown) {
    // Only the place is told: the message quotes the body, which may hold secrets.
    const position = /position \d+/.exec(toError(thrown).message);
    throw bad(`the body is not valid JSON${position === null ? '' : `: it breaks at ${position[0]}`}`);
  }
}

const BYTE_ORDER_MARK = '\ufeff';

// Most bodies have no word in them that could be a key to a prototype, not even one in escapes.
function isHarmless(text: string): boolean {
  return !text.includes('\\u') && !text.includes('__proto__') && !text.includes('constructor');
}

/** The error of a body that cannot be read. */
export function bad(message: string): TiltyardError {
  return new TiltyardError('bad_request', message);
}
