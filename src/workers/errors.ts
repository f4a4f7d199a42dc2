import { DefinitionError, EnvironmentError, TiltyardError } from '../core/index.ts';
import type { StartProblem } from './messages.ts';

/** The process that ran an author's code has ended, or does not answer. */
export class WorkerLost extends EnvironmentError {
  constructor(why: string) {
    const thrown = new Error(`its worker process was lost: ${why}`);
    thrown.name = 'WorkerLost';
    thrown.stack = '';
    super('environment_failed', 'the worker process was lost', { thrown, logged: true });
    this.name = 'WorkerLost';
  }
}

/** A worker could not load what it is to run: the error of its modules. */
class WorkerStartError extends Error {
  /** What the loader said besides. */
  readonly problem: unknown;

  constructor({ name, message, stack, problem }: StartProblem) {
    super(message);
    this.name = name;
    this.stack = stack;
    this.problem = problem;
  }
}

/** What a worker said of its start as an error. */
export function toStartError(problem: StartProblem): Error {
  return problem.name === 'DefinitionError' ? new DefinitionError(problem.message) : new WorkerStartError(problem);
}

/** No process runs at the moment that could do it. */
export function noWorker(why: string): TiltyardError {
  return new TiltyardError('no_worker', `no worker process is running (${why}). Try again`);
}

/** Processes run, but none of them answers. */
export function allBlocked(): TiltyardError {
  return new TiltyardError('no_worker', 'code blocks all worker processes. Try again');
}
