import { LIMIT_NAMES, LIMITS } from '../../core/index.ts';
import { toTable } from '../shared/table.ts';
import { processTerminal } from '../shared/terminal.ts';

/** Prints every limit: its name, its default and what it means. */
export function limits({ json = false }: { readonly json?: boolean }): void {
  const terminal = processTerminal();
  if (json) {
    terminal.printJson(LIMIT_NAMES.map((name) => ({ name, ...LIMITS[name] })));
    return;
  }
  terminal.print('Limits and their defaults; times are in ms, sizes in bytes:');
  const width = Math.max(...LIMIT_NAMES.map((name) => String(LIMITS[name].default).length));
  const rows = LIMIT_NAMES.map((name) => {
    const { default: value, meaning } = LIMITS[name];
    return [`  ${name}`, String(value).padStart(width), meaning.replaceAll('`', '')];
  });
  // In a pipe each stays on its line, for grep.
  const lines = toTable(rows, terminal.isInteractive ? terminal.columns : undefined);
  for (const line of lines) terminal.print(line);
}
