import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../protocol/index.ts';
import type { EnvironmentManifest, TaskPage, TaskQuery } from '../../sessions/index.ts';
import { buildSha, version } from '../../version.ts';
import { readSessionRef } from '../auth/identify.ts';
import { registerHealth } from '../http/health.ts';
import { Turns } from '../http/turns.ts';
import { readBound, readIndex, readSplit } from './bodies.ts';
import type { OrsService } from './service.ts';

type InEnvironment = { Params: { env: string } };

/** Registers what clients read: what the server has, its tasks, and the prompt and tools of a session. */
export function registerReads(app: FastifyInstance, service: OrsService): void {
  const { docs, host, parse } = service;
  const answer = <Request extends FastifyRequest>(read: (request: Request) => unknown) => {
    return async (request: Request) => {
      const result = await read(request);
      await service.streams.batch.end();
      return result;
    };
  };
  const ofEnvironment = (read: (environment: EnvironmentManifest, request: FastifyRequest) => unknown) =>
    answer<FastifyRequest<InEnvironment>>((request) =>
      read(service.environment(request.params.env), request as FastifyRequest),
    );

  registerHealth(app, docs.health, () => host.isDraining);
  app.get(
    '/version',
    docs.version,
    answer(() => ({ version, build_sha: buildSha })),
  );
  app.get(
    '/list_environments',
    docs.environments,
    answer(() => host.manifest.environments.map(({ name }) => name)),
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

  const lists = new Turns();
  const ofTasks = (toQuery: (body: JsonObject) => TaskRead, toAnswer: (page: TaskPage, name: string) => object) =>
    ofEnvironment(async ({ name }, request) => {
      const body = parse(request);
      const query = { environment: name, split: readSplit(body), ...toQuery(body) } as TaskQuery;
      const page = await host.tasks(query);
      // To write a long list takes long: a turn for each, so that twenty of them do not stop all others at once.
      if (page.tasks.length > 1) await lists.next();
      return toAnswer(page, name);
    });
  const tasks = ofTasks(
    () => ({ read: 'all' }),
    ({ tasks }, name) => ({ tasks, env_name: name }),
  );
  const count = ofTasks(
    () => ({ read: 'count' }),
    ({ count }) => ({ num_tasks: count }),
  );
  const task = ofTasks(
    (body) => ({ read: 'one', index: readIndex(body) }),
    ({ tasks: [found] }, name) => ({ task: found, env_name: name }),
  );
  const taskRange = ofTasks(
    (body) => ({ read: 'range', start: readBound(body, 'start'), stop: readBound(body, 'stop') }),
    ({ tasks }, name) => ({ tasks, env_name: name }),
  );
  app.post<InEnvironment>('/:env/tasks', docs.tasks, tasks);
  app.post<InEnvironment>('/:env/num_tasks', docs.numTasks, count);
  app.post<InEnvironment>('/:env/task', docs.task, task);
  app.post<InEnvironment>('/:env/task_range', docs.taskRange, taskRange);
  // The names that older documentation uses.
  app.post<InEnvironment>('/:env/get_task', docs.getTask, task);
  app.post<InEnvironment>('/:env/get_task_range', docs.getTaskRange, taskRange);

  // The session knows its environment: these two do not look at the one in the path.
  app.get(
    '/:env/prompt',
    docs.prompt,
    answer((request) => host.prompt(readSessionRef(request))),
  );
  app.get(
    '/:env/task_tools',
    docs.taskTools,
    answer(async (request) => ({ tools: await host.tools(readSessionRef(request)) })),
  );
}

type Without<Query, Keys extends PropertyKey> = Query extends unknown ? Omit<Query, Keys> : never;

/** What is asked of a split, without which one it is. */
type TaskRead = Without<TaskQuery, 'environment' | 'split'>;
