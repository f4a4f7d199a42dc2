import type { Problem } from '../../src/studio/api.ts';

/** Something that the studio's server refused, or could not do. */
export class StudioFailure extends Error {
  override readonly name = 'StudioFailure';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }

  get advice(): string | null {
    return this.problem.advice;
  }
}

/** The studio itself does not answer: it was stopped, or this tab is older than it. */
export function studioIsAway(cause: unknown): StudioFailure {
  const failure = new StudioFailure({
    kind: 'server',
    code: 'studio_away',
    message: 'The studio does not answer.',
    advice: 'Start it again in the terminal with: tiltyard studio',
    status: null,
  });
  failure.cause = cause;
  return failure;
}

/** Whether the server wants the token of its address first. */
export function isNotEntered(error: unknown): boolean {
  return error instanceof StudioFailure && error.problem.code === 'not_entered';
}
