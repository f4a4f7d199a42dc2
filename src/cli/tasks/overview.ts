import type { EnvironmentClient } from '../../client/index.ts';
import { findEnvironment } from '../shared/episode.ts';
import { environmentsOf } from '../shared/protocols.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { toTable } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import type { OpenServer } from '../shared/with-server.ts';
import type { TasksOptions } from './options.ts';
import { countOf, toTaskCount } from './page.ts';

/** Shows the environments of a server with their splits, and how many tasks each has. */
export async function showOverview(
  server: OpenServer,
  { environment, json = false }: TasksOptions,
  terminal: Terminal,
): Promise<void> {
  const overviews = await waitFor('reading splits', readOverviews(server, environment));
  if (json) {
    for (const overview of overviews) terminal.printJson(overview);
    return;
  }
  const { bold } = terminal.colors;
  for (const { environment: name, splits } of overviews) {
    terminal.print(bold(toSafeText(name)));
    const rows = splits.map((split) => [
      `  ${toSafeText(split.name)}`,
      toSafeText(split.type),
      split.count === null ? 'unknown number of tasks' : toTaskCount(split.count),
    ]);
    for (const line of toTable(rows)) terminal.print(line);
  }
  const [first] = overviews;
  const [split] = first?.splits ?? [];
  if (first === undefined || split === undefined) return;
  const named = overviews.length > 1 ? ` --environment ${first.environment}` : '';
  const hint = toSafeText(`See tasks: tiltyard tasks ${server.name}${named} --split ${split.name}`);
  terminal.note(terminal.noteColors.dim(hint));
}

interface Overview {
  readonly environment: string;
  readonly splits: readonly SplitOverview[];
}

interface SplitOverview {
  readonly name: string;
  readonly type: string;
  /** Null from a server that cannot say. */
  readonly count: number | null;
}

async function readOverviews(server: OpenServer, name: string | undefined): Promise<Overview[]> {
  const first = await findEnvironment(server, name);
  const names = name === undefined ? ((await environmentsOf(server)) ?? []) : [first.name];
  return Promise.all(names.map((each) => readOverview(server.ors.environment(each), server.signal)));
}

async function readOverview(environment: EnvironmentClient, signal: AbortSignal): Promise<Overview> {
  const splits = await environment.splits({ signal });
  const counts = await Promise.all(splits.map(({ name }) => countOf(environment, name, signal)));
  return {
    environment: environment.name,
    splits: splits.map(({ name, type }, at) => ({ name, type, count: counts[at] ?? null })),
  };
}
