import { cutText } from '../../protocol/index.ts';
import { findEnvironment, findSplit } from '../shared/episode.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import { processTerminal, type Terminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import { type OpenServer, withServer } from '../shared/with-server.ts';
import { DEFAULT_COUNT, type TasksOptions } from './options.ts';
import { showOverview } from './overview.ts';
import { readPage, toTaskCount } from './page.ts';

/** Shows what there is to play: environments and splits, or a page of the tasks of a split. */
export async function tasks(target: string, options: TasksOptions): Promise<void> {
  const terminal = processTerminal();
  const show = (server: OpenServer) => {
    const { split } = options;
    return split === undefined
      ? showOverview(server, options, terminal)
      : showTasks(server, { ...options, split }, terminal);
  };
  await withServer(target, show, { retype: (url) => `tiltyard tasks ${url}` });
}

async function showTasks(
  server: OpenServer,
  options: TasksOptions & { readonly split: string },
  terminal: Terminal,
): Promise<void> {
  const { signal } = server;
  const { from, json = false } = options;
  const environment = await findEnvironment(server, options.environment);
  const split = await findSplit(environment, options.split, signal);
  const page = await waitFor('reading tasks', readPage(environment, { ...options, split, signal }));
  if (json) {
    for (const [at, task] of page.tasks.entries()) terminal.printJson({ index: from + at, task });
    return;
  }
  const { bold, dim } = terminal.colors;
  const total = page.total === undefined ? '' : `, ${toTaskCount(page.total)}`;
  terminal.print(`${bold(toSafeText(environment.name))}, split ${bold(toSafeText(split))}${total}`);
  const width = String(from + page.tasks.length).length;
  for (const [at, task] of page.tasks.entries()) {
    const text = cutText(toSafeJson(task), Math.max(20, terminal.columns - width - 5));
    terminal.print(`  ${dim(String(from + at).padStart(width))}  ${text}`);
  }
  const next = from + page.tasks.length;
  const hasMore = page.total === undefined ? page.tasks.length === options.count : next < page.total;
  if (page.tasks.length > 0 && hasMore)
    terminal.note(terminal.noteColors.dim(`More: ${nextCommand(server, options, next)}`));
}

function nextCommand({ name }: OpenServer, { environment, split, count }: TasksOptions, from: number): string {
  const parts = [
    `tiltyard tasks ${name}`,
    ...(environment === undefined ? [] : [`--environment ${environment}`]),
    `--split ${split} --from ${from}`,
    ...(count === DEFAULT_COUNT ? [] : [`--count ${count}`]),
  ];
  return toSafeText(parts.join(' '));
}
