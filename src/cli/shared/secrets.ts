import { misuse } from './failure.ts';

/** Secrets by name, each from the environment variable of its name: a command line can be read by others. */
export function readSecrets(names: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, readVariable(name)]));
}

/** The value of an environment variable that must be there. */
export function readVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw misuse(`the environment variable ${name} is not set. Set it: export ${name}=...`);
  return value;
}
