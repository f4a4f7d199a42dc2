import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { notFound, Refusal } from '../shared/refusal.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.map': 'application/json',
};

/** What every answer carries: nothing runs or loads but what the studio's own server sends. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Where the build puts the page: beside this code in the package, and in dist/ when the sources run. */
export function pageFolder(): string {
  const places = ['../page', '../../../dist/studio/page'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? (places[0] as string);
}

// The files are no secret, and hold none: what they show comes from the API.
const OPEN = { config: { openTo: 'anyone' } } as const;

/** Serves the files of the page, to anyone. */
export function servePage(app: FastifyInstance, folder?: string): void {
  app.get('/', OPEN, async (_request, reply) => {
    const page = await readPageFile(folder ?? pageFolder(), 'index.html');
    if (page === undefined)
      throw new Refusal(503, 'not_built', 'the page of the studio is not built', 'Run: npm run build');
    return reply
      .header('cache-control', 'no-cache')
      .type(TYPES['.html'] as string)
      .send(page);
  });
  app.get('/*', OPEN, async (request, reply) => {
    const path = (request.params as { readonly '*': string })['*'];
    const file = await readPageFile(folder ?? pageFolder(), path);
    if (file === undefined) throw notFound('file', path);
    const isHashed = path.startsWith('assets/');
    return reply
      .header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      .type(TYPES[extname(path)] ?? 'application/octet-stream')
      .send(file);
  });
}

/** A file of the page as it is built now: after a new build the studio need not be restarted. */
async function readPageFile(folder: string, path: string): Promise<Buffer | undefined> {
  // Only names of the list, so that no path can lead elsewhere.
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  if (!names.some((name) => name.split(sep).join('/') === path)) return undefined;
  // A folder, or a file that a build has just replaced.
  return readFile(join(folder, path)).catch(() => undefined);
}
