import fc from 'fast-check';
import { type ToolContext, toolkit } from 'tiltyard';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Gate } from '../support/gates.ts';
import type { Answer } from '../support/http.ts';
import { attempt, type Cut, turns } from './attempts.ts';
import { shareToolServer } from './support.ts';

/** One run of a tool. */
interface Execution {
  readonly variant: number;
  readonly signal: AbortSignal;
}

const executions = new Map<string, Execution[]>();
const gates = new Map<string, Gate>();

function gate(key: string): Gate {
  const found = gates.get(key) ?? new Gate();
  gates.set(key, found);
  return found;
}

const input = z.object({ key: z.string(), variant: z.number() });
type Input = z.infer<typeof input>;

/** Counts a run, and gives a value that no other run has. */
function execute({ key, variant }: Input, { signal }: ToolContext): string {
  executions.set(key, [...(executions.get(key) ?? []), { variant, signal }]);
  return crypto.randomUUID();
}

async function wait(given: Input, context: ToolContext): Promise<string> {
  const value = execute(given, context);
  await gate(given.key).pass(context.signal);
  return value;
}

const TOOLS = {
  Quick: { input, run: execute },
  Gated: { input, run: wait },
  Limited: { input, timeoutMs: 5, canRetry: true, run: wait },
  Checked: { input: input.refine(() => turns(2).then(() => true)), run: execute },
  Crash: {
    input,
    async run(given: Input, context: ToolContext) {
      throw new Error(execute(given, context));
    },
  },
};

const server = shareToolServer({ toolkits: [toolkit({ name: 'Kit', tools: TOOLS })] });

/** What a caller does next. */
interface Action {
  readonly call: number;
  /** Which of two inputs it sends. */
  readonly variant: number;
  readonly cut: Cut | undefined;
  /** Lets the tool of this call go on. */
  readonly release: boolean;
  readonly pauseTurns: number;
}

const CALLS = 3;

const cuts: fc.Arbitrary<Cut> = fc.record({
  share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  turns: fc.nat(12),
});

const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.record({
    call: fc.nat(CALLS - 1),
    variant: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
    cut: fc.option(cuts, { nil: undefined }),
    release: fc.boolean(),
    pauseTurns: fc.nat(4),
  }),
  { minLength: 1, maxLength: 14 },
);

const tools = fc.array(fc.constantFrom(...Object.keys(TOOLS)), { minLength: CALLS, maxLength: CALLS });

/** A call under test, and all the answers to it. */
interface Subject {
  readonly key: string;
  readonly tool: string;
  readonly answers: { readonly variant: number; readonly answer: Promise<Answer | undefined> }[];
}

function toRequest({ key, tool }: Subject, variant: number): object {
  return { call_id: key, tool_id: `Kit.${tool}`, input: { key, variant } };
}

/** Checks what became of a call, whichever of its attempts came through. */
async function expectOnce(subject: Subject): Promise<void> {
  const answers = await Promise.all(
    subject.answers.map(async ({ variant, answer }) => ({ variant, answer: await answer })),
  );
  // What was cut may still be on its way: only the server can tell which input came first.
  const repeats = [await attempt(server(), toRequest(subject, 0)), await attempt(server(), toRequest(subject, 1))];
  const winner = repeats.findIndex((answer) => answer?.status === 200);
  const last = repeats[winner];
  expect(repeats.map((answer) => answer?.status).sort()).toEqual([200, 400]);
  const [ran, ...more] = executions.get(subject.key) ?? [];
  expect([ran?.variant, more]).toEqual([winner, []]);
  if (subject.tool !== 'Limited') expect(ran?.signal.aborted).toBe(false);
  for (const { variant, answer } of answers) {
    if (answer === undefined) continue;
    if (variant === winner) expect(answer.text).toBe(last?.text);
    else expect(answer.json.developer_message).toContain('was used for another tool, input or user');
  }
}

test('OXP I2: whatever callers send, repeat and drop, a call runs at most once and has one result', async () => {
  const run = async (kinds: readonly string[], planned: readonly Action[]) => {
    const subjects = kinds.map((tool): Subject => ({ key: crypto.randomUUID(), tool, answers: [] }));
    for (const { call, variant, cut, release, pauseTurns } of planned) {
      const subject = subjects[call] as Subject;
      subject.answers.push({ variant, answer: attempt(server(), toRequest(subject, variant), cut) });
      await turns(pauseTurns);
      if (release) gate(subject.key).open();
    }
    for (const { key } of subjects) gate(key).open();
    await Promise.all(subjects.map(expectOnce));
  };
  await fc.assert(fc.asyncProperty(tools, actions, run), { numRuns: 100 });
  // Some thousand requests: a busy machine takes its time.
}, 60_000);
