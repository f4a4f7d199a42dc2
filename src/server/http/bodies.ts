import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describe, TiltyardError, toError } from '../../core/index.ts';
import { isObject, type JsonObject } from '../../protocol/index.ts';

/** Parses bodies; keys that would reach an object's prototype are refused. */
export type BodyParser = (request: Pick<FastifyRequest, 'headers' | 'body'>) => JsonObject;

/** The body parser of an app, with the app's own safeguards. */
export function bodyParser(app: FastifyInstance): BodyParser {
  const parse = app.getDefaultJsonParser('error', 'error');
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
    let parsed: unknown;
    if (isHarmless(text)) parsed = parseHarmless(text);
    else
      parse(request as FastifyRequest, text, (error, value) => {
        if (error !== null) throw bad(whyRefused(text));
        parsed = value;
      });
    if (!isObject(parsed)) throw bad(`the body must be a JSON object, not ${describe(parsed)}`);
    return parsed as JsonObject;
  };
}

// Most bodies have no word in them that could be a key to a prototype, not even one in escapes; looking for three words is
// quicker than the patterns of the app's parser. Nor do they begin with a byte order mark, which that one takes off.
function isHarmless(text: string): boolean {
  return text.startsWith('{') && !text.includes('\\u') && !text.includes('__proto__') && !text.includes('constructor');
}

function parseHarmless(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad(whyRefused(text));
  }
}

// The app's parser does not say why. Only the place is told: the message quotes the body, which may hold secrets.
function whyRefused(text: string): string {
  try {
    JSON.parse(text);
  } catch (thrown) {
    const position = /position \d+/.exec(toError(thrown).message);
    return `the body is not valid JSON${position === null ? '' : `: it breaks at ${position[0]}`}`;
  }
  return "the body may not have the keys '__proto__' and 'constructor.prototype'";
}

/** The error of a body that cannot be read. */
export function bad(message: string): TiltyardError {
  return new TiltyardError('bad_request', message);
}
