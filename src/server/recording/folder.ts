import { accessSync, constants, mkdirSync } from 'node:fs';
import { DefinitionError } from '../../core/index.ts';
import { PRIVATE_FOLDER } from '../../records/index.ts';

/** Makes the folder of records; an error says why it cannot be used. */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    accessSync(folder, constants.W_OK);
  } catch (thrown) {
    throw new DefinitionError(`records cannot be written to ${folder}: ${(thrown as Error).message}`);
  }
}
