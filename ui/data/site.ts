import type { EventPage, StaticSite, TaskQuery, TaskTable } from '../../src/studio/api.ts';
import { selectTasks } from '../../src/studio/select-tasks.ts';
import { StudioFailure } from './failure.ts';

declare global {
  var tiltyardSite: StaticSite | undefined;
  var tiltyardAnswers: Record<string, unknown> | undefined;
}

/** The site that this page belongs to, if it was exported; undefined where there is a server. */
export const site: StaticSite | undefined = globalThis.tiltyardSite;

/** Answers a route from the files of the site. */
export async function askSite(
  route: string,
  names: Readonly<Record<string, string>>,
  query: unknown,
): Promise<unknown> {
  const path = route.replace('GET /api/', '').replace(/:(\w+)/g, (_, name: string) => names[name] ?? '');
  if (route === 'GET /api/runs/:run/tasks') return readTasks(names.run ?? '', (query ?? {}) as TaskQuery);
  if (route === 'GET /api/runs/:run/episodes/:episode/events') {
    const { events } = (await read(path.replace(/\/events$/, ''))) as { events: EventPage };
    return events;
  }
  return read(path);
}

/** All rows are read, because any of them may match; then the same code as the server's chooses. */
async function readTasks(run: string, query: TaskQuery): Promise<TaskTable> {
  const tasksPerPage = site?.tasksPerPage ?? 1;
  const first = (await read(`runs/${run}/tasks/0`)) as TaskTable;
  const count = Math.ceil(first.total / tasksPerPage);
  const others = Array.from({ length: Math.max(0, count - 1) }, (_, page) => read(`runs/${run}/tasks/${page + 1}`));
  const pages = [first, ...((await Promise.all(others)) as TaskTable[])];
  return selectTasks(
    pages.flatMap(({ rows }) => rows),
    query,
  );
}

const loading = new Map<string, Promise<unknown>>();

/** A script rather than fetch, which does not work from file://. */
function read(path: string): Promise<unknown> {
  const known = loading.get(path);
  if (known !== undefined) return known;
  const promise = new Promise<unknown>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `data/${path.split('/').map(encodeURIComponent).join('/')}.js`;
    script.onload = () => {
      script.remove();
      resolve(globalThis.tiltyardAnswers?.[path]);
    };
    script.onerror = () => {
      script.remove();
      loading.delete(path);
      reject(notInSite(path));
    };
    document.head.append(script);
  });
  loading.set(path, promise);
  return promise;
}

function notInSite(path: string): StudioFailure {
  return new StudioFailure({
    kind: 'request',
    code: 'not_in_site',
    message: `${path} is not part of this exported site.`,
    advice: 'Export the run again with: tiltyard studio export <run folder> --out site/',
    status: null,
  });
}
