import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describe, TiltyardError, toError } from '../../core/index.ts';
import { isObject, type JsonObject } from '../../protocol/index.ts';

/**
 * Makes this scope keep bodies as text. They are parsed by the handlers, because the session is looked up first: a
 * client with a dead session hears of that, whatever it sent.
 */
export function keepBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // JSON by name as well: Fastify remembers which parser a named type has, and works it out anew for any other.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
}

/** Parses bodies; keys that would reach an object's prototype are refused. */
export type BodyParser = (request: Pick<FastifyRequest, 'headers' | 'body'>) => JsonObject;

/** The body parser of an app, with the app's own safeguards. */
export function bodyParser(app: FastifyInstance): BodyParser {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request) => {
    // The usual one first: it need not be looked at closely.
    if (request.headers['content-type'] !== 'application/json') requireJson(request);
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
