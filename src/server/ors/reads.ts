import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CatalogEnvironment } from '../../core/index.ts';
import { buildSha, version } from '../../version.ts';
import { readSessionKey } from '../auth/identify.ts';
import { readBound, readIndex, readSplit } from '../http/bodies.ts';
import { registerHealth } from '../http/health.ts';
import type { OrsFace } from './plugin.ts';

type InEnvironment = { Params: { env: string } };

/** Registers what clients read: what the server has, its tasks, and the prompt and tools of a session. */
export function registerReads(app: FastifyInstance, { catalog, docs, host, parse, streams: { turn } }: OrsFace): void {
  const answer = <Request extends FastifyRequest>(read: (request: Request) => unknown) => {
    return async (request: Request) => {
      const result = await read(request);
      await turn.end();
      return result;
    };
  };
  const ofEnvironment = (read: (environment: CatalogEnvironment, request: FastifyRequest) => unknown) =>
    answer<FastifyRequest<InEnvironment>>((request) =>
      read(catalog.find(request.params.env), request as FastifyRequest),
    );

  registerHealth(app, docs.health, () => host.isClosed);
  app.get(
    '/version',
    docs.version,
    answer(() => ({ version, build_sha: buildSha })),
  );
  app.get(
    '/list_environments',
    docs.environments,
    answer(() => catalog.environments.map(({ name }) => name)),
  );

  app.get<InEnvironment>(
    '/:env/tools',
    docs.tools,
    ofEnvironment(({ sharedTools }) => ({ tools: sharedTools })),
  );
  app.get<InEnvironment>(
    '/:env/splits',
    docs.splits,
    ofEnvironment(({ splits }) => splits),
  );
  app.post<InEnvironment>(
    '/:env/tasks',
    docs.tasks,
    ofEnvironment(async (environment, request) => ({
      tasks: await environment.split(readSplit(parse(request))).list(),
      env_name: environment.name,
    })),
  );
  app.post<InEnvironment>(
    '/:env/num_tasks',
    docs.numTasks,
    ofEnvironment(async (environment, request) => ({
      num_tasks: await environment.split(readSplit(parse(request))).count(),
    })),
  );
  const task = ofEnvironment(async (environment, request) => {
    const body = parse(request);
    const tasks = environment.split(readSplit(body));
    return { task: await tasks.get(readIndex(body)), env_name: environment.name };
  });
  const taskRange = ofEnvironment(async (environment, request) => {
    const body = parse(request);
    const tasks = environment.split(readSplit(body));
    return { tasks: await tasks.range(readBound(body, 'start'), readBound(body, 'stop')), env_name: environment.name };
  });
  app.post<InEnvironment>('/:env/task', docs.task, task);
  app.post<InEnvironment>('/:env/task_range', docs.taskRange, taskRange);
  // The names that older documentation uses.
  app.post<InEnvironment>('/:env/get_task', docs.getTask, task);
  app.post<InEnvironment>('/:env/get_task_range', docs.getTaskRange, taskRange);

  // The session knows its environment: these two do not look at the one in the path.
  app.get(
    '/:env/prompt',
    docs.prompt,
    answer((request) => host.prompt(readSessionKey(request))),
  );
  app.get(
    '/:env/task_tools',
    docs.taskTools,
    answer(async (request) => ({ tools: await host.tools(readSessionKey(request)) })),
  );
}
