import type { Limits } from '../../../core/index.ts';
import type { AuthOptions } from '../../../server/index.ts';
import { version } from '../../../version.ts';

/** Where the server is, and how to print it. */
export interface BannerOptions {
  readonly url: string;
  readonly json: boolean;
  readonly auth: AuthOptions | undefined;
  /** Shown only as JSON. */
  readonly limits?: Limits;
  /** The address of the studio, where it was started as well. */
  readonly studio?: string | undefined;
}

/** What is served, by name: plain data. */
export interface Served {
  readonly environments: readonly ServedEnvironment[];
  readonly toolkits: readonly ServedToolkit[];
}

/** What is served, for a person or for a program. */
export function banner(served: Served, { url, json, auth, limits, studio }: BannerOptions): string {
  if (json) return `${JSON.stringify({ url, ...served, limits, studio })}\n`;
  const base = url.replace('127.0.0.1', 'localhost');
  const [first] = served.environments;
  const key = auth === undefined ? '' : ` -H "${credentialOf(auth)}"`;
  return [
    `Tiltyard ${version} is listening on ${base}`,
    '',
    ...toLines(served),
    '',
    ...(first === undefined
      ? ['See the tools:', `  curl -s ${base}/tools${key}`]
      : ['See a task:', `  ${taskLine(base, first, key)}`]),
    '',
    ...(studio === undefined ? [] : ['Play in the browser:', `  ${studio}`, '']),
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

function credentialOf({ apiKeys = [] }: AuthOptions): string {
  return apiKeys.length > 0 ? 'X-API-Key: $KEY' : 'Authorization: Bearer $TOKEN';
}

interface ServedEnvironment {
  readonly name: string;
  readonly splits: readonly string[];
  readonly tools: readonly string[];
}

interface ServedToolkit {
  readonly name: string;
  /** As calls name them. */
  readonly tools: readonly string[];
}

function toLines({ environments, toolkits }: Served): string[] {
  const width = Math.max(...[...environments, ...toolkits].map(({ name }) => name.length));
  return [
    ...environments.map(
      ({ name, splits, tools }) => `  ${name.padEnd(width)}  tools: ${tools.join(', ')}  splits: ${splits.join(', ')}`,
    ),
    ...toolkits.map(({ name, tools }) => `  ${name.padEnd(width)}  toolkit: ${tools.join(', ')}`),
  ];
}

function taskLine(base: string, { name, splits }: ServedEnvironment, key: string): string {
  const body = JSON.stringify({ split: splits[0], index: 0 });
  return `curl -s ${base}/${name}/task${key} -H 'Content-Type: application/json' -d '${body}'`;
}
