import type { MadeCall, Sample } from './sample.ts';

// What is longer helps nobody who reads it.
const MAX_LINE = 1000;

/** The command that makes a call again. */
export function reproduce({ server, environment, secrets }: Sample, { split, index, tool, input }: MadeCall): string {
  const words = [
    ...['tiltyard', 'call', server, tool, JSON.stringify(input)],
    ...['--environment', environment, '--split', split, '--index', String(index)],
    ...secrets.flatMap((name) => ['--secret', name]),
  ];
  const line = words.map(quote).join(' ');
  const more = `... (${line.length} characters in all; the same seed sends them again)`;
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE) + more : line;
}

// For a shell of the Bourne family; control characters are escaped by JSON already.
function quote(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
