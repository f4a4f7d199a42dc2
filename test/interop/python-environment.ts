import type { TestProject } from 'vitest/node';
import { skipAloud } from '../support/needed.ts';
import { Missing, type PackageSet, prepareEnvironment } from './virtual-environment.ts';

/** The virtual environments of the suite: what goes together is in one, and each is made once. */
const PACKAGES = {
  official: { what: 'the official Python packages', requirements: 'requirements.txt' },
  trainers: {
    what: 'the trainers, validators and the model',
    requirements: 'requirements-trainers.txt',
    bare: 'requirements-trainers-bare.txt',
    onlyOnRequest: 'they take 1 GB of disk and are not installed',
  },
} as const satisfies Record<string, PackageSet>;

/** One of the virtual environments. */
export type PythonName = keyof typeof PACKAGES;

/** The Python that has the packages, or why there is none. */
export type InteropPython = { readonly path: string } | { readonly missing: string };

declare module 'vitest' {
  export interface ProvidedContext {
    interopPython: Record<PythonName, InteropPython>;
  }
}

/** Makes the virtual environments, side by side, and tells the tests where they are. */
export async function setup({ provide }: TestProject): Promise<void> {
  const [official, trainers] = await Promise.all([findOrSkip('official'), findOrSkip('trainers')]);
  provide('interopPython', { official, trainers });
}

async function findOrSkip(name: PythonName): Promise<InteropPython> {
  try {
    return { path: await prepareEnvironment(PACKAGES[name]) };
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    skipAloud(PACKAGES[name].what, error.message);
    return { missing: error.message };
  }
}

/** The path of a Python that has the official packages; made when it is not there yet. */
export function preparePython(): Promise<string> {
  return prepareEnvironment(PACKAGES.official);
}
