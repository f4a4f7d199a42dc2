import type { ErrorObject } from 'ajv';
import { cutText, toPointerSteps } from '../protocol/index.ts';

const MUST_BE = 'Must be ';

// A choice of more than that is not said in one line.
const MAX_BRANCHES = 20;

// Nobody reads as many, and each has the whole path to its place.
const MAX_ERRORS = 1_000;

// The names in it may be the caller's.
const MAX_PATH = 200;

/** One thing wrong with a value: where, and what was expected. */
export interface Problem {
  path: string[];
  message: string;
}

/** The problems as one line for people and models: `answer: Must be a string; n: Must be at least 1`. */
export function formatProblems(problems: readonly Problem[]): string {
  const shown = problems
    .slice(0, 10)
    .map(({ path, message }) => (path.length > 0 ? `${cutText(path.join('.'), MAX_PATH)}: ${message}` : message));
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
  return shown.join('; ');
}

/** What Ajv found, one problem for each place. */
export function toProblems(found: readonly ErrorObject[]): Problem[] {
  const errors = found.slice(0, MAX_ERRORS);
  const byPlace = new Map<string, Problem>();
  for (const [at, error] of errors.entries()) {
    const problem = isChoice(error) ? toChoice(errors, at, error) : toProblem(error);
    const place = problem.path.join('\0');
    // The branches of an anyOf complain one by one; the anyOf itself says it best, and it comes after them.
    if (!byPlace.has(place) || isChoice(error)) byPlace.set(place, problem);
  }
  return [...byPlace.values()];
}

/** A choice between simple things says which: `Must be an integer or null`. */
function toChoice(errors: readonly ErrorObject[], at: number, choice: ErrorObject): Problem {
  const problem = toProblem(choice);
  const wanted = new Set<string>();
  // Ajv puts what the branches complain of right before the choice itself.
  for (const error of errors.slice(Math.max(0, at - MAX_BRANCHES), at).reverse()) {
    if (!`${error.instancePath}/`.startsWith(`${choice.instancePath}/`)) break;
    const { path, message } = toProblem(error);
    if (path.length > problem.path.length || !message.startsWith(MUST_BE)) return problem;
    wanted.add(message.slice(MUST_BE.length));
  }
  return wanted.size === 0 ? problem : { ...problem, message: MUST_BE + [...wanted].reverse().join(' or ') };
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function toProblem(error: ErrorObject): Problem {
  const path = toPointerSteps(error.instancePath);
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return { path: [...path, params.missingProperty], message: 'Is required' };
    case 'additionalProperties':
      return { path: [...path, params.additionalProperty], message: 'Is not a known parameter' };
    case 'unevaluatedProperties':
      return { path: [...path, params.unevaluatedProperty], message: 'Is not a known parameter' };
    case 'type':
      return { path, message: `Must be ${[params.type].flat().map(withArticle).join(' or ')}` };
    case 'enum':
      return { path, message: `Must be one of ${valuesOf(params.allowedValues)}` };
    case 'const':
      return { path, message: `Must be ${JSON.stringify(params.allowedValue)}` };
    case 'anyOf':
    case 'oneOf':
      return { path, message: 'Must match one of the allowed forms' };
    default:
      return { path, message: capitalise(error.message ?? 'Is not valid') };
  }
}

// By the schema's own array: a list of a thousand wrong items has a thousand such problems.
const lists = new WeakMap<readonly unknown[], string>();

function valuesOf(allowed: readonly unknown[]): string {
  let text = lists.get(allowed);
  if (text === undefined) {
    text = allowed.map((value) => JSON.stringify(value)).join(', ');
    lists.set(allowed, text);
  }
  return text;
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function capitalise(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
