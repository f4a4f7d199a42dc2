import { expect, test } from 'vitest';
import { AuthError, ClientError, HttpError, MaxRetries, NetworkError, NOT_JSON } from '../../client/index.ts';
import { explain, unknownName } from './explain.ts';
import { Failure } from './failure.ts';

const SERVER = { url: 'http://localhost:8080', hasKey: false };

const network = (code: string) => new NetworkError(`the connection failed: ${code}`, { code });

test.each<[what: string, thrown: Error, advice: string]>([
  ['nobody listens', network('ECONNREFUSED'), 'Start a server with: tiltyard serve <module> --port 8080'],
  ['nobody listens, three times', new MaxRetries('GET /', [network('ECONNREFUSED')]), 'nothing is listening at'],
  ['the machine is not known', network('ENOTFOUND'), "host 'localhost' not found"],
  ['fetch will not', network('bad port'), "Node's fetch blocks port 8080"],
  ['nobody answers', network('UND_ERR_CONNECT_TIMEOUT'), 'localhost:8080 is not responding'],
  ['a key is missing', new AuthError(401, 'no key'), 'requires an API key. Set the environment variable'],
  [
    'a setup failed with the status of a missing key',
    new HttpError(401, 'TOKEN is missing', { code: 'setup_failed' }),
    'the setup of the episode failed: TOKEN is missing',
  ],
  ['a scope is missing', new HttpError(403, 'agents may not'), 'does not allow this API key to do that: agents'],
  [
    'it is a web page',
    new ClientError('the answer to GET / is not JSON: <html>', { code: NOT_JSON }),
    'an ORS or OXP server? Include any path prefix',
  ],
  ['something else', new HttpError(500, 'it broke'), 'the server answered 500: it broke'],
  ['it failed for a while', new MaxRetries('GET /', [new HttpError(503, 'busy')]), 'the server answered 503: busy'],
])('when %s, the message says what to do', (_what, thrown, advice) => {
  const failure = explain(thrown, SERVER);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ message: expect.stringContaining(advice), exitCode: 1 });
});

test('a key that was refused is told apart from one that is missing', () => {
  const failure = explain(new AuthError(401, 'no'), { ...SERVER, hasKey: true });
  expect(failure).toMatchObject({ message: expect.stringContaining('rejected the API key') });
});

test('what failed first is told, not the closing that failed after it', () => {
  const both = Object.assign(new Error('suppressed'), {
    name: 'SuppressedError',
    error: network('ECONNRESET'),
    suppressed: new HttpError(500, 'it broke'),
  });
  expect(explain(both, SERVER)).toMatchObject({ message: 'the server answered 500: it broke' });
});

test('what is no failure of the client stays what it is', () => {
  const thrown = new TypeError('a bug');
  expect(explain(thrown, SERVER)).toBe(thrown);
});

test('a name that is not there comes with those that are, without their escape codes', () => {
  expect(unknownName('split', 'x', ['train', 'te\x1b[2Jst']).message).toBe(
    "there is no split 'x'. Choose one of: train, te�[2Jst",
  );
  expect(unknownName('split', 'x', []).message).toBe("there is no split 'x'. There are none");
});
