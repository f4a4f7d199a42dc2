import type { AuthOptions, JwtOptions } from '../../../server/index.ts';
import { misuse } from '../failure.ts';
import { keysOfFile, keysOfList, type PlacedKey } from './api-keys.ts';
import { readSecretFile, type Warn } from './secret-file.ts';
import type { AuthVariables } from './variables.ts';

/** Who may use the server, from environment variables and files that they name; undefined if none was set. */
export async function toAuth(given: AuthVariables, warn: Warn): Promise<AuthOptions | undefined> {
  refuseEmpty(given);
  const apiKeys = toApiKeys(given, warn);
  const jwt = toJwt(given, warn);
  if (apiKeys.length === 0 && jwt === undefined) return undefined;
  const auth = { apiKeys, ...(jwt === undefined ? {} : { jwt }) };
  await refuseUnfit(auth);
  return auth;
}

// Setting one means that the server shall be closed: `TILTYARD_API_KEYS=$(cat keys)` is empty if there is no such file.
function refuseEmpty(given: AuthVariables): void {
  const [empty] = Object.entries(given).find(([, value]) => value === '') ?? [];
  if (empty !== undefined)
    throw misuse(`${empty} is set but empty. Give it a value or unset it; --no-auth allows everyone`);
}

// As long as 16 hexadecimal digits; what is shorter can be guessed.
const SHORTEST_KEY = 16;

function toApiKeys(given: AuthVariables, warn: Warn): NonNullable<AuthOptions['apiKeys']> {
  const { TILTYARD_API_KEYS: list, TILTYARD_API_KEYS_FILE: path } = given;
  const keys: PlacedKey[] = [];
  if (list !== undefined) keys.push(...keysOfList(list, 'TILTYARD_API_KEYS'));
  if (path !== undefined) {
    const { text, where } = readSecretFile('TILTYARD_API_KEYS_FILE', path, warn);
    keys.push(...keysOfFile(text, where));
  }
  for (const { key, place } of keys) {
    const { length } = typeof key === 'string' ? key : key.key;
    if (length < SHORTEST_KEY)
      warn(`${place} has only ${length} characters and can be guessed. Generate a longer key: openssl rand -hex 32`);
  }
  return keys.map(({ key }) => key);
}

function toJwt(given: AuthVariables, warn: Warn): JwtOptions | undefined {
  const { TILTYARD_JWT_SECRET: direct, TILTYARD_JWT_SECRET_FILE: path } = given;
  if (direct !== undefined && path !== undefined)
    throw misuse('set TILTYARD_JWT_SECRET or TILTYARD_JWT_SECRET_FILE, not both');
  const audience = (given.TILTYARD_JWT_AUDIENCE ?? '').split(',').flatMap((name) => name.trim() || []);
  const secret = path === undefined ? direct : readSecretFile('TILTYARD_JWT_SECRET_FILE', path, warn).text.trim();
  if (secret === undefined) {
    const idle = (['TILTYARD_JWT_AUDIENCE', 'TILTYARD_JWT_MISSING_CLAIMS'] as const).find((name) => name in given);
    if (idle !== undefined) throw misuse(`${idle} has no effect without TILTYARD_JWT_SECRET`);
    return undefined;
  }
  return { secret, missingClaims: toMissingClaims(given), ...(audience.length === 0 ? {} : { audience }) };
}

function toMissingClaims({ TILTYARD_JWT_MISSING_CLAIMS: word = 'refuse' }: AuthVariables): 'refuse' | 'allow' {
  if (word === 'refuse' || word === 'allow') return word;
  throw misuse(`TILTYARD_JWT_MISSING_CLAIMS must be 'refuse' or 'allow', not '${word}'`);
}

// Now, and not when there is a server: it is the fault of a variable, and not of a module.
async function refuseUnfit(auth: AuthOptions): Promise<void> {
  // Loaded only here: `tiltyard dev` serves in other processes.
  const { assertAuth } = await import('../../../server/index.ts');
  try {
    assertAuth(auth);
  } catch (thrown) {
    throw misuse((thrown as Error).message);
  }
}
