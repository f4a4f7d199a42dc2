import { misuse } from './failure.ts';

/** Secrets by name, each from the environment variable of its name: a command line can be read by others. */
export function readSecrets(names: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, readVariable(name)]));
}

/** What a server says of secrets that an environment requires, in the words of a command; undefined if it speaks of something else. */
export function adviceOnSecrets(message: string): string | undefined {
  const [, what, list = ''] = /(environment '.+' requires the secrets? (.+?))(?:\. Send |$)/.exec(message) ?? [];
  if (what === undefined) return undefined;
  const names = list.split(', ');
  const variables = names.length === 1 ? 'variable' : 'variables';
  return `${what}. Set the environment ${variables} ${list} and add ${names.map((name) => `--secret ${name}`).join(' ')}`;
}

/** The value of an environment variable that must be there. */
export function readVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw misuse(`the environment variable ${name} is not set. Set it: export ${name}=...`);
  return value;
}
