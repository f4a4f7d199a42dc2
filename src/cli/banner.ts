import { type Environment, version } from '../core/index.ts';

/** Where the server is, and how to print it. */
export interface BannerOptions {
  readonly url: string;
  readonly json: boolean;
  readonly auth: boolean;
}

/** What is served, for a person or for a program. */
export function banner(environments: readonly Environment[], { url, json, auth }: BannerOptions): string {
  const served = environments.map(({ name, splits, tools }) => ({
    name: name.toLowerCase(),
    splits: Object.keys(splits),
    tools: Object.keys(tools),
  }));
  if (json) return `${JSON.stringify({ url, environments: served })}\n`;
  const base = url.replace('127.0.0.1', 'localhost');
  const width = Math.max(...served.map(({ name }) => name.length));
  const lines = served.map(
    ({ name, splits, tools }) => `  ${name.padEnd(width)}  tools: ${tools.join(', ')}  splits: ${splits.join(', ')}`,
  );
  return [
    `Tiltyard ${version} is listening on ${base}`,
    '',
    ...lines,
    '',
    'See a task:',
    `  ${curlLine(base, served[0], auth)}`,
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

function curlLine(base: string, first: { name: string; splits: string[] } | undefined, auth: boolean): string {
  const key = auth ? ' -H "X-API-Key: $KEY"' : '';
  const body = JSON.stringify({ split: first?.splits[0], index: 0 });
  return `curl -s ${base}/${first?.name}/task${key} -H 'Content-Type: application/json' -d '${body}'`;
}
