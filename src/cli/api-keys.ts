import { readFileSync } from 'node:fs';
import type { AuthOptions } from '../server/index.ts';

/** API keys from the environment or from a file that it names; never from the command line, which others can read. */
export function apiKeysFrom(env: NodeJS.ProcessEnv): AuthOptions | undefined {
  const { TILTYARD_API_KEYS: list, TILTYARD_API_KEYS_FILE: file } = env;
  const keys = [...(list?.split(',') ?? []), ...(file === undefined ? [] : readFileSync(file, 'utf8').split('\n'))];
  const apiKeys = keys.map((key) => key.trim()).filter((key) => key !== '');
  return apiKeys.length > 0 ? { apiKeys } : undefined;
}
