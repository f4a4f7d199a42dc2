import type { Problem } from '../api.ts';

/** A request that the studio itself does not fulfil: its status, and what is told. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly advice: string | null;

  constructor(status: number, code: string, message: string, advice: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.advice = advice;
  }

  toProblem(): Problem {
    const { message, code, advice } = this;
    return { kind: 'request', code, message, advice, status: null };
  }
}

/** Something that is not there. */
export function notFound(what: string, id: string): Refusal {
  return new Refusal(404, 'not_found', `there is no ${what} '${id}'`);
}

/** Something that cannot be done now. */
export function conflict(message: string, advice: string | null = null): Refusal {
  return new Refusal(409, 'conflict', message, advice);
}

/** Why files on this machine cannot be read, as lists tell it of them. */
export function unreadable(thrown: unknown): Problem {
  return { kind: 'request', code: 'unreadable', message: (thrown as Error).message, advice: null, status: null };
}

/** Something that is wrong with a request. */
export function badRequest(message: string): Refusal {
  return new Refusal(400, 'bad_request', message);
}
