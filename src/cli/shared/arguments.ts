import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** A port; 0 is any free one. */
export function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

/** A whole number from 0. */
export function toCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Must be a whole number, 0 or more.');
  return Number(text);
}

/** How many processes: a whole number from 0, or one for each processor. */
export function toWorkers(text: string): number {
  return text === 'auto' ? availableParallelism() : toCount(text);
}

/** Collects an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** `--allow-host`, for commands that serve. */
export function allowHost(): Option {
  const description = "without auth, also serve under this host name; repeatable ('*' for any)";
  return new Option('--allow-host <name>', description).argParser(collect);
}

/** `--allow-origin`, for commands that serve. */
export function allowOrigin(): Option {
  const description = "let web pages of this origin use the server; repeatable ('*' for any)";
  return new Option('--allow-origin <origin>', description).argParser(collect);
}

/** Adds `--secret`, for commands that begin episodes. */
export function addSecretOption(command: Command): Command {
  return command.option(
    '--secret <NAME>',
    'send the secret NAME, taken from the environment variable NAME; repeatable',
    collect,
  );
}

/** How a time is written, for help and messages. */
export const TIMES = 'a number such as 500ms, 10s, 2m or 1h; without a unit, seconds';

/** A time in milliseconds, from text such as 500ms, 10s or 2m; seconds when there is no unit. */
export function toMilliseconds(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError(`A time is ${TIMES}.`);
  return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A size in bytes, from text such as 500MB or 10GB; bytes when there is no unit. */
export function toBytes(text: string): number {
  const [, amount, unit = 'B'] = /^(\d+(?:\.\d+)?)(B|KB|MB|GB|TB)?$/i.exec(text) ?? [];
  if (amount === undefined)
    throw new InvalidArgumentError('A size is a number such as 500MB or 10GB; without a unit, bytes.');
  return Math.floor(Number(amount) * UNIT_BYTES[unit.toUpperCase() as keyof typeof UNIT_BYTES]);
}

const UNIT_BYTES = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** A JSON object, as tools take it. */
export function toJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new InvalidArgumentError(`Must be a JSON object: ${(thrown as Error).message}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError(`Must be a JSON object, such as '{"answer": "72"}'.`);
  return value as Record<string, unknown>;
}
