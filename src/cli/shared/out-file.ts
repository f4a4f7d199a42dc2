import { accessSync, constants, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure, misuse } from './failure.ts';

/** Refuses a file that cannot be written, before the work that it is to hold is done. */
export function assertWritable(option: string, path: string | undefined): void {
  if (path === undefined) return;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw misuse(`${option}: ${path} is a folder. Name a file in it`);
  try {
    accessSync(stats === undefined ? dirname(path) : path, constants.W_OK);
  } catch (thrown) {
    throw misuse(`${option}: ${path} cannot be written: ${(thrown as Error).message}`);
  }
}

/** Writes what came of a command to a file that a person named. */
export async function writeOut(option: string, path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (thrown) {
    throw new Failure(`${option}: ${path} cannot be written: ${(thrown as Error).message}`);
  }
}
