import { type Breakage, bodyHas, both, edit, editTools, json, on, status, tasksOf, was, when } from './rewrites.ts';

/** What can be wrong with discovery and tasks. */
export const discoveryBreakages: readonly Breakage[] = [
  ['health is in other words', ['D1'], when(on('GET', /^\/health/), json({ status: 'healthy' }))],
  [
    'the list of environments is an object',
    ['D2'],
    when(on('GET', /^\/list_environments/), json({ environments: ['probed'] })),
  ],
  ['names of environments are case-sensitive', ['D3'], when(({ path }) => path.startsWith('/PROBED'), status(404))],
  [
    'the tools are a bare array',
    ['D5', 'D6', 'D7', 'D8', 'D9'],
    when(
      on('GET', /^\/\w+\/tools$/),
      edit(({ tools }) => tools),
    ),
  ],
  [
    'input_schema is left out if it is null',
    ['D6'],
    when(
      on('GET', /^\/\w+\/tools$/),
      editTools(({ input_schema, ...rest }) => (input_schema === null ? rest : { ...rest, input_schema })),
    ),
  ],
  [
    'a tool has a further key',
    ['D7'],
    when(
      on('GET', /^\/\w+\/tools$/),
      editTools((tool) => ({ ...tool, version: '1' })),
    ),
  ],
  [
    'a description is null',
    ['D8'],
    when(
      on('GET', /^\/\w+\/tools$/),
      editTools((tool) => ({ ...tool, description: null })),
    ),
  ],
  [
    'a schema is none',
    ['D9'],
    when(
      on('GET', /^\/\w+\/tools$/),
      editTools((tool) => ({ ...tool, input_schema: { type: 'thing' } })),
    ),
  ],
  ['an unknown environment is 400', ['D10'], when(({ path }) => path.startsWith('/tiltyard_unknown/'), status(400))],
  [
    'splits are bare names',
    ['D11'],
    when(
      on('GET', /\/splits$/),
      edit((splits) => splits.map(({ name }: any) => name)),
    ),
  ],
  [
    'a split has a type of its own',
    ['D11'],
    when(
      on('GET', /\/splits$/),
      edit((splits) => splits.map((split: any) => ({ ...split, type: 'eval' }))),
    ),
  ],
  [
    '/tasks lacks env_name',
    ['D13'],
    when(
      both(on('POST', /\/tasks$/), was(200)),
      edit(({ tasks }) => ({ tasks })),
    ),
  ],
  ['an unknown split is 404', ['D14'], when(both(was(400), bodyHas('"split":"tiltyard_unknown"')), status(404))],
  [
    'num_tasks is text',
    ['D16'],
    when(
      both(on('POST', /\/num_tasks$/), was(200)),
      edit(({ num_tasks }) => ({ num_tasks: String(num_tasks) })),
    ),
  ],
  [
    '/task gives the bare task',
    ['D18', 'D23', 'D24', 'D27'],
    when(
      both(on('POST', /\/task$/), was(200)),
      edit(({ task }) => task),
    ),
  ],
  [
    'an index out of range is 404',
    ['D19'],
    when(
      both(
        was(400),
        tasksOf('/task', ({ index }) => index >= 5),
      ),
      status(404),
    ),
  ],
  [
    'a negative index is the last',
    ['D20'],
    when(
      tasksOf('/task', ({ index }) => index === -1),
      json({ task: {}, env_name: 'probed' }),
    ),
  ],
  [
    'an index may be text',
    ['D21'],
    when(
      tasksOf('/task', ({ index }) => index === '0'),
      json({ task: {}, env_name: 'probed' }),
    ),
  ],
  [
    'a range needs its stop',
    ['D22', 'D24'],
    when(
      tasksOf('/task_range', ({ stop }) => stop === undefined),
      json({ detail: 'stop is missing' }, 400),
    ),
  ],
  [
    'a range has its stop in it',
    ['D22', 'D23', 'D24', 'D25'],
    when(
      both(
        tasksOf('/task_range', ({ stop }) => Number.isInteger(stop)),
        was(200),
      ),
      edit(({ tasks, ...rest }) => ({ tasks: [...tasks, {}], ...rest })),
    ),
  ],
  [
    'a negative start is nothing',
    ['D24'],
    when(
      tasksOf('/task_range', ({ start }) => start < 0),
      json({ tasks: [], env_name: 'probed' }),
    ),
  ],
  [
    'a range beyond the end is 400',
    ['D25'],
    when(
      tasksOf('/task_range', ({ stop }) => stop > 5),
      json({ detail: 'out of range' }, 400),
    ),
  ],
  [
    'a range may start at text',
    ['D26'],
    when(
      tasksOf('/task_range', ({ start }) => start === '0'),
      json({ tasks: [] }),
    ),
  ],
  [
    '/task lacks env_name',
    ['D27'],
    when(
      both(on('POST', /\/task$/), was(200)),
      edit(({ task }) => ({ task })),
    ),
  ],

  [
    'tasks cannot be listed, and it is not said why',
    ['D15'],
    when(both(on('POST', /\/tasks$/), was(200)), json({ detail: 'no' }, 400)),
  ],
  ['its own env_name is not taken', ['D28'], when(both(on('POST', /^\/create$/), was(200)), status(404))],
];
