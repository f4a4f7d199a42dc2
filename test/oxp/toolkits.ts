import { image, step, type Tool, type ToolContext, ToolError, type Toolkit, text, tool, toolkit } from 'tiltyard';
import { z } from 'zod';
import { Gate } from '../support/gates.ts';

/** One run of a tool, as the tool saw it. */
export interface Run {
  readonly id: string;
  readonly input: any;
  readonly context: ToolContext;
}

/** The toolkits of the conformance tests, with what their tools did. */
export interface ToolFixture {
  readonly toolkits: readonly Toolkit[];
  readonly runs: readonly Run[];
  /** How often a tool has run. */
  count(id: string): number;
  /** The last run of a tool. */
  last(id: string): Run;
  /** Where the runs of Slow.Wait with this tag wait. */
  gate(tag: string): Gate;
}

/** The versions of Calculator.Add: in no order, and one that comes after another only as a number. */
export const VERSIONS: readonly string[] = ['1.9.0', '1.0.0', '2.0.0', '1.4.2', '1.10.0', '0.9.0'];

const GRANT_PAGE = 'https://auth.test/google';

/** What Faulty.Throw can throw. */
export const THROWN: Readonly<Record<string, () => unknown>> = {
  error: () => new RangeError('the disk is full'),
  text: () => 'just text',
  nothing: () => undefined,
  null: () => null,
  object: () => Object.create(null),
  'an error with odd fields': () => Object.assign(new Error('x'), { name: Symbol('odd'), message: 5, stack: null }),
  'an error that cannot be read': () => Object.defineProperty(new Error('x'), 'message', { get: thrower('no') }),
  'a ToolError with odd fields': () => Object.assign(new ToolError('x'), { message: { a: 1 }, canRetry: 'yes' }),
};

/** What Faulty.Return can return that no JSON can carry. */
export const UNSENDABLE: Readonly<Record<string, () => unknown>> = {
  bigint: () => 5n,
  function: () => () => 5,
  symbol: () => Symbol('s'),
  'a circle': circle,
  'what throws an error when it is written': () => ({ toJSON: thrower(new Error('not today')) }),
  'what throws null when it is written': () => ({ toJSON: thrower(null) }),
  'an array too deep to be written': () => nest(50_000),
};

/** New toolkits with nothing run yet. */
export function toolFixture(): ToolFixture {
  const runs: Run[] = [];
  const gates = new Map<string, Gate>();
  const gate = (tag: string) => {
    const found = gates.get(tag) ?? new Gate();
    gates.set(tag, found);
    return found;
  };
  const recorded = (toolkitName: string, tools: Record<string, Tool<any, any> | readonly Tool<any, any>[]>) =>
    toolkit({
      name: toolkitName,
      tools: Object.fromEntries(
        Object.entries(tools).map(([name, each]) => [
          name,
          [each].flat().map((version: Tool<any, any>) => record(runs, `${toolkitName}.${name}`, version)),
        ]),
      ),
    });
  return {
    runs,
    gate,
    count: (id) => runs.filter((run) => run.id === id).length,
    last: (id) => runs.findLast((run) => run.id === id) as Run,
    toolkits: [
      recorded('Calculator', { Add: VERSIONS.map((version) => add(version)) }),
      recorded('Doorbell', { Ring: RING }),
      recorded('Slow', slowTools(gate)),
      recorded('Faulty', FAULTY),
      recorded('Needs', NEEDS),
      recorded('Shapes', SHAPES),
      recorded('Admin', {
        Reset: { scopes: ['admin'], run: () => 'reset' },
        // The newest is for administrators, the older one for everybody.
        Read: [
          { version: '1.0.0', run: () => 'some' },
          { version: '2.0.0', scopes: ['admin', 'reader'], run: () => 'all' },
        ],
      }),
    ],
  };
}

/** The tool of the examples in the normative text. */
export function add(version: string): Tool<any, any> {
  return tool({
    version,
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.number(),
    run: ({ a, b }) => a + b,
  });
}

/** The tool of the last of those examples. */
export const RING: Tool<any, any> = tool({
  version: '0.1.0',
  description: 'Rings a doorbell.',
  input: z.object({ doorbell_id: z.string() }),
  run({ doorbell_id: id }) {
    throw new ToolError('Doorbell ID not found', {
      developerMessage: `The doorbell with ID '${id}' does not exist.`,
      canRetry: true,
      promptContent: 'ids: doorbell42,doorbell84',
      retryAfterMs: 500,
    });
  },
});

function record(runs: Run[], id: string, each: Tool<any, any>): Tool<any, any> {
  return {
    ...each,
    run(input: unknown, context: ToolContext) {
      runs.push({ id: `${id}@${each.version ?? '1.0.0'}`, input, context });
      return each.run(input, context);
    },
  };
}

function slowTools(gate: (tag: string) => Gate): Record<string, Tool<any, any>> {
  const tagged = z.object({ tag: z.string() });
  const wait = ({ tag }: { tag: string }, { signal }: ToolContext) =>
    gate(tag)
      .pass(signal)
      .then(() => crypto.randomUUID());
  return {
    Wait: { input: tagged, run: wait },
    Limited: { input: tagged, timeoutMs: 20, canRetry: true, run: wait },
    Hasty: { input: tagged, timeoutMs: 20, run: wait },
    /** Checks its input for as long as the gate is closed. */
    Pondered: {
      input: tagged.refine(async ({ tag }) => {
        await gate(tag).pass();
        return true;
      }),
      run: () => crypto.randomUUID(),
    },
    /** A new value with every run. */
    Once: { input: z.looseObject({}), run: () => crypto.randomUUID() },
  };
}

const FAULTY: Record<string, Tool<any, any>> = {
  Throw: {
    input: z.object({ what: z.string(), late: z.boolean().default(false) }),
    run({ what, late }) {
      const thrown = THROWN[what]?.();
      if (late) return Promise.reject(thrown);
      throw thrown;
    },
  },
  Return: { input: z.object({ what: z.string() }), run: ({ what }) => UNSENDABLE[what]?.() as never },
  WrongOutput: { output: z.object({ sum: z.number() }), run: () => ({ sum: 'many' }) },
  WrongStep: { output: z.number(), run: () => step('many', { reward: 1 }) },
  WrongSchema: { output: { type: 'array', items: { type: 'integer' } }, run: async () => [1, 2.5] },
  /** Returns the same object every time, and goes on changing it. */
  Shared: {
    run() {
      counter.count += 1;
      return counter;
    },
  },
  /** Tells the caller what nobody may hear. */
  Leak: {
    input: z.object({ how: z.enum(['throw', 'fail', 'log']) }),
    run({ how }, { secrets, authorization, log }) {
      const told = `${secrets.API_KEY} and ${authorization?.API_KEY}`;
      if (how === 'throw') throw new Error(`no access with ${told}`);
      if (how === 'log') log.warn(`tried ${told}`, { told: { deep: told } });
      if (how === 'log') return 'logged';
      throw new ToolError(`no access with ${told}`, { developerMessage: told, promptContent: told });
    },
  },
};

const counter = { count: 0 };

const NEEDS: Record<string, Tool<any, any>> = {
  Mail: {
    description: 'Sends mail.',
    requirements: {
      authorization: [
        { id: 'google', url: GRANT_PAGE, oauth2: { scopes: ['https://www.googleapis.com/auth/gmail.send'] } },
      ],
    },
    input: z.object({ to: z.string() }),
    run: ({ to }, { authorization }) => `${to} with ${authorization?.google?.length} characters`,
  },
  Sms: {
    description: 'Sends a text message.',
    requirements: { secrets: ['TWILIO_SID', 'TWILIO_KEY'], userId: true },
    input: z.object({ to: z.string() }),
    run: ({ to }, { userId }) => `${to} for ${userId}`,
  },
  All: {
    requirements: { authorization: [{ id: 'a', url: GRANT_PAGE }], secrets: ['s'], userId: true },
    run: () => 'all there',
  },
};

const Point = z.object({ x: z.number(), label: z.string().min(2).optional() });

const SHAPES: Record<string, Tool<any, any>> = {
  NoInput: { description: 'Takes nothing.', run: () => 'nothing needed' },
  NoOutput: { description: 'Returns nothing.', output: { type: 'null' }, run: () => null },
  Untold: { description: 'Does not say what it returns.', run: () => undefined as never },
  Nested: {
    input: z.object({
      name: z.string().regex(/^[a-z]+$/),
      at: Point,
      path: z.array(Point).max(3).default([]),
      mode: z.enum(['fast', 'slow']).optional(),
      limit: z.union([z.int(), z.null()]).optional(),
      tags: z.record(z.string(), z.number()).optional(),
    }),
    output: z.object({ total: z.number() }),
    run: ({ at, path }) => ({ total: [at, ...path].reduce((sum, { x }) => sum + x, 0) }),
  },
  Defs: {
    input: {
      type: 'object',
      $defs: {
        Color: { type: 'string', enum: ['red', 'green'] },
        Line: { type: 'object', properties: { from: { $ref: '#/$defs/Color' } }, required: ['from'] },
      },
      properties: {
        line: { $ref: '#/$defs/Line', description: 'Which line.' },
        lines: { type: 'array', items: { $ref: '#/$defs/Line' } },
        $ref: { type: 'string' },
      },
      required: ['line'],
    },
    output: { $defs: { N: { type: 'integer' } }, anyOf: [{ $ref: '#/$defs/N' }, { type: 'null' }] },
    run: () => null,
  },
  Echo: { input: { type: 'object' }, run: (input: unknown) => input as object },
  Step: { run: () => step('told', { reward: 1, finished: true, metadata: { a: 1 } }) },
  Long: { maxOutputBytes: 10, run: () => 'x'.repeat(100) },
  LongList: { maxOutputBytes: 10, input: { type: 'object' }, run: ({ value }: { value?: string }) => [value] },
  LongBlock: { maxOutputBytes: 10, run: () => text('x'.repeat(100)) },
  LongBlocks: { maxOutputBytes: 10, run: () => [text('x'.repeat(100)), image('aGk=', 'image/png')] },
  Picture: { maxOutputBytes: 10, run: () => step([image('aGk='.repeat(10), 'image/png')]) },
};

function thrower(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

function circle(): object {
  const itself: { self?: object } = {};
  itself.self = itself;
  return itself;
}

function nest(depth: number): unknown[] {
  let inner: unknown[] = [];
  for (let level = 0; level < depth; level += 1) inner = [inner];
  return inner;
}
