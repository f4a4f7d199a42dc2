import { readdir, readFile } from 'node:fs/promises';
import type { Kind } from './kinds.ts';
import { toManifest } from './manifest.ts';
import { toNames } from './names.ts';
import { ownVersion } from './own-version.ts';

/** What the person chose. */
export interface Choices {
  readonly kind: Kind;
  readonly name: string;
}

/** The files of a project that goes into a folder, by name. */
export async function readTemplate({ kind, name }: Choices, folder: string): Promise<Map<string, string>> {
  const { kebab, pascal, variable } = toNames(name, kind);
  const files = new Map([['package.json', toManifest(kebab, kind, await ownVersion(folder))]]);
  for (const folder of [COMMON, kind]) {
    for (const file of await readdir(new URL(`${folder}/`, TEMPLATES))) {
      const text = await readFile(new URL(`${folder}/${file}`, TEMPLATES), 'utf8');
      files.set(
        RENAMED[file] ?? file,
        // The templates are modules that compile and run as they are: these words stand for the name in them.
        text
          .replace(/templateName(?:Environment|Toolkit)/g, variable)
          .replaceAll('TemplateName', pascal)
          .replaceAll('template-name', kebab),
      );
    }
  }
  return files;
}

const TEMPLATES = new URL('../../../templates/', import.meta.url);
const COMMON = 'common';

// npm leaves files of the first name out of packages, and tools would take both for their own here.
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', dockerignore: '.dockerignore' };
