import { resolve } from 'node:path';
import { misuse } from '../shared/failure.ts';
import { onInterrupt } from '../shared/interruption.ts';
import { processTerminal, type Terminal } from '../shared/terminal.ts';
import { problemOf, toProjectName } from './names.ts';
import type { NewOptions, Plan } from './plan.ts';
import { readTemplate } from './template.ts';
import { askFor } from './wizard.ts';
import { occupationOf, writeProject } from './write-project.ts';

/** Writes a project that can be installed, tested and served as it is. */
export async function createProject(folder: string | undefined, options: NewOptions): Promise<void> {
  const terminal = processTerminal();
  const { yes = false, json = false } = options;
  const isAsking = terminal.isInteractive && !yes && !json;
  // What is wrong already is said before the first question.
  refuse(folder === undefined ? undefined : occupationOf(folder));
  refuse(options.name === undefined ? undefined : problemOf(options.name, options.kind));

  const plan = isAsking ? await askFor(folder, options) : withDefaults(folder, options);
  refuse(problemOf(plan.name, plan.kind));
  const files = await readTemplate(plan, plan.folder);
  using interruption = onInterrupt();
  await writeProject(plan.folder, files, interruption.signal);

  const names = [...files.keys()].sort();
  if (json) terminal.printJson({ ...plan, folder: resolve(plan.folder), files: names });
  else report(terminal, plan, names);
}

function withDefaults(folder: string | undefined, { kind = 'environment', name }: NewOptions): Plan {
  if (folder === undefined) throw misuse('name a folder for the project: tiltyard new my-project');
  return { folder, kind, name: name ?? toProjectName(folder) };
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw misuse(problem);
}

function report({ print, colors }: Terminal, { folder, kind, name }: Plan, files: readonly string[]): void {
  const isHere = resolve(folder) === process.cwd();
  print(`${colors.green('Created')} the ${kind} ${colors.bold(name)}${isHere ? '' : ` in ${folder}`}:`);
  for (const file of files) print(`  ${file}`);
  print();
  print('Next:');
  if (!isHere) print(`  cd ${quoted(folder)}`);
  print('  npm install');
  print(`  npm test      ${colors.dim('# run the tests')}`);
  print(`  npm run dev   ${colors.dim('# serve with hot reload')}`);
}

function quoted(path: string): string {
  return /^[\w@%+:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
