import type { CompiledTool } from './compiled-tool.ts';
import { isToolError, toError } from './errors.ts';
import { type Abortable, abortOf, type LazyAbort } from './lazy-abort.ts';
import { formatProblems } from './problems.ts';
import { isStep } from './step.ts';
import type { Awaitable, ToolContext } from './tool.ts';
import { type ReportedFailure, toReportedFailure } from './tool-failure.ts';

/** How one run of a tool ended. Exactly one of these, whatever the tool does. */
export type ToolEnding =
  | { kind: 'returned'; value: unknown }
  | { kind: 'failed'; failure: ReportedFailure }
  /** The tool was told to stop; `ended` resolves when it has. */
  | { kind: 'timed_out'; timeoutMs: number; ended: Promise<unknown> }
  | { kind: 'crashed'; error: Error };

/** Runs a tool on an input that its `prepare` has passed. Never throws and never rejects. */
export function invoke(
  tool: CompiledTool,
  input: unknown,
  context: ToolContext,
  run: Abortable,
): Awaitable<ToolEnding> {
  try {
    const returned = tool.run(input, context);
    // In here as well: even to ask what it is may run the author's code.
    if (!isThenable(returned)) return toReturned(tool, returned);
    const running = Promise.resolve(returned).then((value) => toReturned(tool, value), toFailure);
    return tool.timeoutMs === undefined ? running : withinTime(running, tool.timeoutMs, abortOf(run));
  } catch (thrown) {
    return toFailure(thrown);
  }
}

function toReturned(tool: CompiledTool, value: unknown): Awaitable<ToolEnding> {
  // A step carries content for the agent, not the value that an output schema describes.
  if (tool.output === undefined || isStep(value)) return { kind: 'returned', value };
  return checkOutput(tool, tool.output, value);
}

async function checkOutput(
  tool: CompiledTool,
  output: NonNullable<CompiledTool['output']>,
  value: unknown,
): Promise<ToolEnding> {
  try {
    const checked = await output.check(value ?? null);
    if (checked.ok) return { kind: 'returned', value: checked.value };
    const problem = `tool '${tool.name}' returned a value that does not match its output schema: ${formatProblems(checked.problems)}`;
    return { kind: 'crashed', error: new TypeError(problem) };
  } catch (thrown) {
    return toFailure(thrown);
  }
}

function toFailure(thrown: unknown): ToolEnding {
  if (!isToolError(thrown)) return { kind: 'crashed', error: toError(thrown) };
  try {
    return { kind: 'failed', failure: toReportedFailure(thrown) };
  } catch (unreadable) {
    return { kind: 'crashed', error: toError(unreadable) };
  }
}

function withinTime(running: Promise<ToolEnding>, timeoutMs: number, abort: LazyAbort): Promise<ToolEnding> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      abort.abort(new Error(`timed out after ${timeoutMs} ms`));
      resolve({ kind: 'timed_out', timeoutMs, ended: running });
    }, timeoutMs);
    // Nobody waits for an aborted call: a tool that does not listen must not keep the process alive for its whole time.
    abort.signal.addEventListener('abort', () => timer.unref(), { once: true });
    running.then((ending) => {
      clearTimeout(timer);
      resolve(ending);
    });
  });
}

/** Whether a tool's answer comes later. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
