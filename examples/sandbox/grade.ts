import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { runProcess } from './child-process.ts';
import type { Problem } from './problem.ts';

const RUNNER = fileURLToPath(new URL('run-cases.mjs', import.meta.url));
const MAX_RESULT_BYTES = 1024 * 1024;

/** Where the solution is, and how long all tests together may take. */
export interface GradeOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly timeMs?: number;
}

/** How many of the hidden tests a solution passed. */
export interface Grade {
  readonly passed: number;
  readonly total: number;
}

/**
 * Runs the hidden tests against solution.mjs. The process that runs the agent's code is told the arguments, never the
 * expected results, and each test counts its first answer only: whatever the code writes to the channel, it is graded
 * as an answer, and to forge a right answer is to find it.
 */
export async function grade(
  { functionName, tests }: Problem,
  { directory, signal, timeMs = 5_000 }: GradeOptions,
): Promise<Grade> {
  const { output } = await runProcess({
    file: process.execPath,
    args: ['--max-old-space-size=256', RUNNER],
    directory,
    timeMs,
    maxBytes: MAX_RESULT_BYTES,
    // Not standard output: that belongs to the solution, which may print what it likes.
    read: [3],
    input: JSON.stringify({ functionName, argumentLists: tests.map(([args]) => args) }),
    signal,
  });
  const answers = toAnswers(output);
  const passed = tests.filter(([, expected], index) => isDeepStrictEqual(answers.get(index), expected)).length;
  return { passed, total: tests.length };
}

function toAnswers(output: string): Map<number, unknown> {
  const answers = new Map<number, unknown>();
  for (const line of output.split('\n')) {
    const answer = parseAnswer(line);
    if (answer !== undefined && !answers.has(answer.index)) answers.set(answer.index, answer.value);
  }
  return answers;
}

function parseAnswer(line: string): { index: number; value: unknown } | undefined {
  try {
    const { index, value } = JSON.parse(line);
    return { index, value };
  } catch {
    return undefined; // The last line of a process that was killed while it wrote, or a line that is none of ours.
  }
}
