import type { EnvironmentManifest } from '../../sessions/index.ts';
import { arrayOf, body, json, type Operation, object, ref } from './operation.ts';
import { environmentParameter, error, type Operations } from './ors-parts.ts';

/** What the routes about environments do. */
export type EnvironmentAction =
  | 'version'
  | 'environments'
  | 'tools'
  | 'splits'
  | 'tasks'
  | 'numTasks'
  | 'task'
  | 'taskRange'
  | 'getTask'
  | 'getTaskRange'
  | 'requiredSecrets';

const SPLIT = ref('SplitName');
const INDEX = { type: 'integer', minimum: 0 };
const BOUND = { type: ['integer', 'null'], description: 'As in a Python slice: a negative one counts from the end.' };
const NAMED_TASK = object({ task: ref('Task'), env_name: { type: 'string' } });
const NAMED_TASKS = object({ tasks: arrayOf(ref('Task')), env_name: { type: 'string' } });

/** The operations that tell what a server has; the examples are about this environment. */
export function environmentOperations({ name, splits }: EnvironmentManifest): Operations<EnvironmentAction> {
  const env = environmentParameter(name);
  const split = splits[0]?.name ?? '';
  const task: Operation = {
    operationId: 'task',
    summary: 'One task of a split',
    tags: ['environments'],
    parameters: [env],
    requestBody: body(ref('TaskPlace'), { split, index: 0 }),
    responses: { 200: json('The task, its answer included.', NAMED_TASK) },
  };
  const taskRange: Operation = {
    operationId: 'taskRange',
    summary: 'Some tasks of a split',
    tags: ['environments'],
    parameters: [env],
    requestBody: body(object({ split: SPLIT, start: BOUND, stop: BOUND }, ['start', 'stop']), {
      split,
      start: 0,
      stop: 1,
    }),
    responses: { 200: json('The tasks from `start` up to, but not with, `stop`.', NAMED_TASKS) },
  };
  return {
    version: [
      '/version',
      {
        operationId: 'version',
        summary: 'The version of the server',
        tags: ['server'],
        responses: {
          200: json('It.', object({ version: { type: 'string' }, build_sha: { type: ['string', 'null'] } })),
        },
      },
    ],
    environments: [
      '/list_environments',
      {
        operationId: 'environments',
        summary: 'The environments',
        tags: ['environments'],
        responses: {
          200: json(
            'Their names. The first is the one that requests mean that name none.',
            arrayOf({ type: 'string' }),
          ),
        },
      },
    ],
    tools: [
      '/:env/tools',
      {
        operationId: 'tools',
        summary: 'The tools that every task of an environment has',
        tags: ['environments'],
        parameters: [env],
        responses: { 200: json('The tools.', ref('ToolSpecs')) },
      },
    ],
    splits: [
      '/:env/splits',
      {
        operationId: 'splits',
        summary: 'The splits of an environment',
        tags: ['environments'],
        parameters: [env],
        responses: { 200: json('The splits.', arrayOf(ref('Split'))) },
      },
    ],
    tasks: [
      '/:env/tasks',
      {
        operationId: 'tasks',
        summary: 'All tasks of a split',
        tags: ['environments'],
        parameters: [env],
        requestBody: body(object({ split: SPLIT }), { split }),
        responses: { 200: json('The tasks, their answers included.', NAMED_TASKS) },
      },
    ],
    numTasks: [
      '/:env/num_tasks',
      {
        operationId: 'numTasks',
        summary: 'How many tasks a split has',
        tags: ['environments'],
        parameters: [env],
        requestBody: body(object({ split: SPLIT }), { split }),
        responses: { 200: json('The number.', object({ num_tasks: INDEX })) },
      },
    ],
    task: ['/:env/task', task],
    taskRange: ['/:env/task_range', taskRange],
    getTask: [
      '/:env/get_task',
      {
        ...task,
        operationId: 'getTask',
        summary: 'The same as /{env}/task',
        deprecated: true,
      },
    ],
    getTaskRange: [
      '/:env/get_task_range',
      {
        ...taskRange,
        operationId: 'getTaskRange',
        summary: 'The same as /{env}/task_range',
        deprecated: true,
      },
    ],
    requiredSecrets: [
      '/v1/environments/:owner/:name/required-secrets',
      {
        operationId: 'requiredSecrets',
        summary: 'The secrets that a session of an environment must be given',
        tags: ['environments'],
        parameters: [
          {
            name: 'owner',
            in: 'path',
            required: true,
            description: 'Ignored.',
            schema: { type: 'string' },
            example: 'me',
          },
          { ...env, name: 'name' },
        ],
        responses: {
          200: json('Their names.', object({ secrets: arrayOf({ type: 'string' }) })),
          404: error('There is no such environment.'),
        },
      },
    ],
  };
}
