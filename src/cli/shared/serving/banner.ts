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
  /** Whether agents are served over MCP. */
  readonly hasMcp?: boolean;
}

/** What is served, by name: plain data. */
export interface Served {
  readonly environments: readonly ServedEnvironment[];
  readonly toolkits: readonly ServedToolkit[];
}

/** What is served, for a person or for a program. */
export function banner(served: Served, { url, json, auth, limits, studio, hasMcp = false }: BannerOptions): string {
  if (json) {
    const mcp = hasMcp ? mcpAddresses(url, served) : undefined;
    return `${JSON.stringify({ url, ...served, limits, studio, mcp })}\n`;
  }
  const base = url.replace('127.0.0.1', 'localhost');
  const key = auth === undefined ? '' : ` -H "${credentialOf(auth)}"`;
  return [
    `Tiltyard ${version} is listening on ${base}`,
    '',
    ...toLines(served),
    '',
    ...lookLines(base, served, key),
    '',
    ...(hasMcp ? ['Let agents act over MCP:', ...mcpAddresses(base, served).map((each) => `  ${each}`), ''] : []),
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
      ({ name, splits, tools }) =>
        `  ${name.padEnd(width)}  tools: ${tools.join(', ')}  splits: ${splits.join(', ') || 'none'}`,
    ),
    ...toolkits.map(({ name, tools }) => `  ${name.padEnd(width)}  toolkit: ${tools.join(', ')}`),
  ];
}

/** The first thing to try. */
function lookLines(base: string, { environments: [first] }: Served, key: string): string[] {
  // Records of tasks that clients sent have no splits.
  const [split] = first?.splits ?? [];
  if (first === undefined || split === undefined) {
    const path = first === undefined ? '/tools' : `/${first.name}/tools`;
    return ['See the tools:', `  curl -s ${base}${path}${key}`];
  }
  const body = JSON.stringify({ split, index: 0 });
  return ['See a task:', `  curl -s ${base}/${first.name}/task${key} -H 'Content-Type: application/json' -d '${body}'`];
}

/** An episode of each environment, and the toolkits. */
function mcpAddresses(base: string, { environments, toolkits }: Served): string[] {
  return [
    // Ids of their own: all environments share them.
    ...environments.map(({ name }, at) => `${base}/mcp/${name}?episode=${at + 1}`),
    ...(toolkits.length > 0 ? [`${base}/mcp/tools`] : []),
  ];
}
