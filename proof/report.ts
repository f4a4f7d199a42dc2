import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** What a long proof found, for docs/reports. */
export interface Report {
  /** soak, chaos or fuzz. */
  readonly name: string;
  readonly title: string;
  /** The command that gives it again. */
  readonly command: string;
  /** Paragraphs and tables. */
  readonly body: readonly string[];
  readonly isProven: boolean;
}

/** Prints a report and, unless REPORT=no, writes it, with its date, to docs/reports. */
export async function writeReport({ name, title, command, body, isProven }: Report): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  const text = [
    `# ${title}, ${date}`,
    `\`${command}\` on ${machine}: **${isProven ? 'holds' : 'does not hold'}**.`,
    ...body,
  ];
  process.stdout.write(`${text.join('\n\n')}\n`);
  if (!isProven) process.exitCode = 1;
  if (process.env.REPORT === 'no') return;
  const folder = new URL('../docs/reports/', import.meta.url);
  await mkdir(folder, { recursive: true });
  const file = new URL(`${date}-${name}.md`, folder);
  await writeFile(file, `${text.join('\n\n')}\n`);
  process.stdout.write(`\nwritten to docs/reports/${date}-${name}.md\n`);
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
