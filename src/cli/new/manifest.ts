import { readFileSync } from 'node:fs';
import type { Kind } from './kinds.ts';

/** The package.json of a project that depends on this version of tiltyard. */
export function toManifest(name: string, kind: Kind, tiltyard: string): string {
  const module = `${kind}.ts`;
  const { dependencies, devDependencies } = PACKAGES;
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: own.engines,
    scripts: {
      dev: `tiltyard dev ${module}`,
      // `exec`: a signal to npm reaches the server, and not only the shell in between.
      start: `exec tiltyard serve ${module}`,
      // Node's own runner takes no patterns before version 21, so the shell expands this one.
      test: 'node --import tsx --test *.test.ts',
      check: 'tsc',
    },
    dependencies: { tiltyard, ...dependencies },
    devDependencies,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The packages that every project needs. */
export function packagesOf(): readonly string[] {
  return ['tiltyard', ...Object.values(PACKAGES).flatMap(Object.keys)];
}

interface OwnManifest {
  readonly engines: { readonly node: string };
  readonly dependencies: { readonly tsx: string };
  readonly devDependencies: { readonly typescript: string; readonly '@types/node': string };
  readonly peerDependencies: { readonly zod: string };
}

// The versions that this package itself is tested with.
const ROOT = new URL('../../../', import.meta.url);
const own = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as OwnManifest;

const PACKAGES = {
  dependencies: { zod: own.peerDependencies.zod },
  devDependencies: {
    '@types/node': own.devDependencies['@types/node'],
    tsx: own.dependencies.tsx,
    typescript: own.devDependencies.typescript,
  },
};
