import { basename, resolve } from 'node:path';
import { assertEnvironmentName, DefinitionError } from '../../core/index.ts';
import type { Kind } from './kinds.ts';
import { packagesOf } from './manifest.ts';

// The name of a tool that models see begins with the toolkit's, and may have 64 characters.
const MAX_LENGTH = 40;

/** The project's name in the forms that code needs. */
export interface Names {
  /** Of the package, and of the environment: capital-cities. */
  readonly kebab: string;
  /** Of the toolkit: CapitalCities. */
  readonly pascal: string;
  /** Of the variable: capitalCitiesEnvironment. */
  readonly variable: string;
}

/** The name that a folder suggests; empty if it suggests none. */
export function toProjectName(folder: string): string {
  return toKebab(basename(resolve(folder)));
}

/** Why a name cannot be that of a package, of a toolkit, or part of the server's URLs; undefined if it can. */
export function problemOf(name: string, kind: Kind | undefined): string | undefined {
  if (name === '') return 'the project needs a name, and the folder suggests none: add --name my-project';
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) {
    const suggestion = toKebab(name);
    const advice = suggestion === '' ? 'Choose one with --name' : `Try ${suggestion}`;
    return `'${name}' is not a valid name: use lowercase letters, digits and single hyphens, starting with a letter. ${advice}`;
  }
  if (name.length > MAX_LENGTH) return `'${name}' is too long a name: at most ${MAX_LENGTH} characters are allowed`;
  if (packagesOf().includes(name)) return `'${name}' is a package that the project depends on: choose another name`;
  // Toolkits are in no path of the server.
  return kind === 'environment' ? reservedProblem(name) : undefined;
}

/** The forms of a name. */
export function toNames(name: string, kind: Kind): Names {
  const pascal = name.replace(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
  const camel = `${name[0]}${pascal.slice(1)}`;
  // Never the bare name: that may be a keyword, or something that the module imports.
  const suffix = kind === 'environment' ? 'Environment' : 'Toolkit';
  return { kebab: name, pascal, variable: camel.endsWith(suffix) ? camel : `${camel}${suffix}` };
}

function reservedProblem(name: string): string | undefined {
  try {
    assertEnvironmentName(name);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof DefinitionError) return thrown.message;
    throw thrown;
  }
}

function toKebab(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-$/g, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');
}
