import { EXPORT_FORMATS, exportRun } from '../../rollouts/index.ts';
import { misuse } from '../shared/failure.ts';
import { processTerminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import { refusing } from './refusals.ts';

/** What a person says of an export. */
export interface ExportChoice {
  readonly format: string;
  readonly out: string;
  readonly minReward?: number;
  readonly json?: boolean;
}

/** Writes a run in another format. */
export async function exportTo(folder: string, { format, out, minReward, json = false }: ExportChoice): Promise<void> {
  const terminal = processTerminal();
  const found = EXPORT_FORMATS.find((each) => each === format);
  if (found === undefined) throw misuse(`unknown format '${format}'. Choose one of: ${EXPORT_FORMATS.join(', ')}`);
  if (Number.isNaN(minReward)) throw misuse('--min-reward must be a number');
  const episodes = await refusing(() => waitFor('exporting', exportRun(folder, { format: found, out, minReward })));
  if (json) terminal.printJson({ format, out, episodes });
  else terminal.note(`Wrote ${episodes === 1 ? '1 episode' : `${episodes} episodes`} to ${out}.`);
}
