import { type Breakage, both, edit, on, status, was, when } from './rewrites.ts';

/** What can be wrong with episode reads. */
export const readBreakages: readonly Breakage[] = [
  [
    'the prompt is an object',
    ['P1', 'P2', 'P3', 'P4'],
    when(
      both(on('GET', /\/prompt$/), was(200)),
      edit((prompt) => ({ prompt })),
    ),
  ],
  [
    'a block lacks `detail`',
    ['P2'],
    when(
      both(on('GET', /\/prompt$/), was(200)),
      edit((blocks) => blocks.map(({ detail: _detail, ...rest }: any) => rest)),
    ),
  ],
  ['/prompt looks at its path', ['P3'], when(({ path }) => path === '/tiltyard_unknown/prompt', status(404))],
  [
    '/task_tools lacks the shared tools',
    ['P5'],
    when(
      both(on('GET', /\/task_tools$/), was(200)),
      edit(({ tools }) => ({ tools: tools.filter(({ name }: any) => name === 'hint') })),
    ),
  ],
  [
    'a tool is listed twice',
    ['P8'],
    when(
      both(on('GET', /\/task_tools$/), was(200)),
      edit(({ tools }) => ({ tools: [...tools, tools[0]] })),
    ),
  ],
  ['a deleted session is 404', ['P9'], when(was(410), status(404))],

  [
    '/task_tools has another order',
    ['P7'],
    when(
      both(on('GET', /\/task_tools$/), was(200)),
      edit(({ tools }) => ({ tools: tools.filter(({ name }: any) => name !== 'hint').reverse() })),
    ),
  ],
];
