import type { MadeCall, Sample } from './sample.ts';

/** The command that makes a call again. */
export function reproduce({ url, environment }: Sample, { split, index, tool, input }: MadeCall): string {
  const words = [
    ...['tiltyard', 'call', url, tool, JSON.stringify(input)],
    ...['--environment', environment, '--split', split, '--index', String(index)],
  ];
  return words.map(quote).join(' ');
}

// For a shell of the Bourne family; control characters are escaped by JSON already.
function quote(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
