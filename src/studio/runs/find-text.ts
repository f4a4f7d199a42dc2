import { join } from 'node:path';
import { type EpisodeLine, RUN_FILES } from '../../rollouts/index.ts';
import { LineTail } from './line-tail.ts';

/** The tasks of a run with an attempt whose detail contains a text, whatever its case: read from the file, and not kept. */
export async function findText(folder: string, text: string): Promise<ReadonlySet<number>> {
  const wanted = text.trim().toLowerCase();
  const found = new Set<number>();
  await new LineTail(join(folder, RUN_FILES.episodes)).read((line) => {
    // Most lines do not have it anywhere, and need not be parsed.
    if (!line.text.includes('"detail"') || !line.text.toLowerCase().includes(toJsonText(wanted))) return;
    const { index, detail = '' } = JSON.parse(line.text) as EpisodeLine;
    if (detail.toLowerCase().includes(wanted)) found.add(index);
  });
  return found;
}

function toJsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
