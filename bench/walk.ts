// npm run walk: the files that one call crosses, in order, with the lines of each that run.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { followCall } from './walk/follow.ts';
import type { Walk } from './walk/walk.ts';

const HELP = `npm run walk [-- --oxp] [--task-id] [--source | --json]

Follows one plain call through a server and lists the files of src/ that it
crosses, in the order in which it first enters them, with the functions that run
and how many lines run. A line counts if any code on it runs, if only a bracket;
blank lines, comments and types do not count. What runs in only some of five
calls belongs to a timer and is left out.

  --oxp      call over OXP instead of ORS
  --task-id  send an id with the call: task_id over ORS, call_id over OXP
  --source   print the lines that run, too
  --json     print JSON
`;

const { values } = parseArgs({
  options: {
    oxp: { type: 'boolean', default: false },
    'task-id': { type: 'boolean', default: false },
    source: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else print(await followCall(`${values.oxp ? 'oxp' : 'ors'}${values['task-id'] ? ' with id' : ''}`));

function print(walk: Walk): void {
  if (values.json) return void process.stdout.write(`${JSON.stringify(walk, null, 2)}\n`);
  for (const [index, { path, functions, lines }] of walk.files.entries()) {
    const names = functions.map((name) => `\`${name}\``).join(', ') || 'a function without a name';
    process.stdout.write(`${index + 1}. \`${path}\` (${lines.length}): ${names}\n`);
    if (values.source) process.stdout.write(`\n${sourceOf(path, lines)}\n\n`);
  }
  process.stdout.write(`\n${walk.files.length} files, ${walk.lines} lines\n`);
}

function sourceOf(path: string, lines: readonly number[]): string {
  const source = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').split('\n');
  return lines.map((line) => `${String(line).padStart(6)}  ${source[line - 1]}`).join('\n');
}
