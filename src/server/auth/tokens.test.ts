import { SignJWT } from 'jose';
import { afterEach, expect, test, vi } from 'vitest';
import { type JwtOptions, Tokens } from './tokens.ts';

const SECRET = new TextEncoder().encode('a-secret-that-only-tests-may-know');
const NOW = Date.UTC(2026, 0, 1);

afterEach(() => vi.useRealTimers());

/** Tokens at a time that the test tells. */
function tokensAt(now: number, options: Partial<JwtOptions> = {}): Tokens {
  vi.useFakeTimers({ toFake: ['Date'], now });
  return new Tokens({ secret: SECRET, clockSkewSeconds: 5, ...options });
}

function sign(claims: Record<string, unknown>, secret: Uint8Array = SECRET): Promise<string> {
  return new SignJWT({ exp: NOW / 1000 + 60, scope: 'agent', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(secret);
}

test('a token is known once it was verified, with its identity and its scopes', async () => {
  const tokens = tokensAt(NOW);
  const token = await sign({ sub: 'anna', scope: 'agent other' });
  expect(tokens.recall(token)).toBeUndefined();
  const verified = await tokens.verify(token);
  expect(verified).toEqual({ id: 'anna', scopes: new Set(['agent', 'other']) });
  expect(tokens.recall(token)).toEqual(verified);
  expect(tokens.recall(`${token}x`)).toBeUndefined();
});

test('a token is forgotten at the moment when it would be refused', async () => {
  const tokens = tokensAt(NOW);
  const token = await sign({ sub: 'anna' });
  await tokens.verify(token);
  vi.setSystemTime(NOW + 65_000 - 1);
  expect(tokens.recall(token)).toMatchObject({ id: 'anna' });
  expect(await tokens.verify(token)).toMatchObject({ id: 'anna' });
  vi.setSystemTime(NOW + 65_000);
  expect(tokens.recall(token)).toBeUndefined();
  await expect(tokens.verify(token)).rejects.toThrow();
});

test('a token that is refused is not known afterwards', async () => {
  const tokens = tokensAt(NOW);
  const other = new TextEncoder().encode('another-secret-that-tests-may-know');
  for (const token of [await sign({}, other), await sign({ sub: '' }), await sign({ exp: NOW / 1000 - 60 })]) {
    await expect(tokens.verify(token)).rejects.toThrow();
    expect(tokens.recall(token)).toBeUndefined();
  }
});

test('a token of the longest life is good also if the clock of who signs goes ahead, as far as clocks may differ', async () => {
  const tokens = tokensAt(NOW, { maxLifetimeSeconds: 60 });
  const signedAt = (seconds: number) =>
    sign({ sub: 'anna', iat: NOW / 1000 + seconds, exp: NOW / 1000 + seconds + 60 });
  expect(await tokens.verify(await signedAt(5))).toMatchObject({ id: 'anna' });
  await expect(tokens.verify(await signedAt(6))).rejects.toThrow('not allowed');
});

test('of more tokens than are remembered, the oldest is verified again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const tokens = new Tokens({ secret: SECRET }, 100);
  const numbered = (number: number) => sign({ sub: `caller-${number}` });
  for (let number = 0; number <= 100; number += 1) await tokens.verify(await numbered(number));
  expect(tokens.recall(await numbered(0))).toBeUndefined();
  expect(tokens.recall(await numbered(1))).toMatchObject({ id: 'caller-1' });
  expect(tokens.recall(await numbered(100))).toMatchObject({ id: 'caller-100' });
});
