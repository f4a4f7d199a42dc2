import { isObject, type JsonValue } from '../../protocol/index.ts';

/** A text or a number inside a task. */
export interface Leaf {
  /** Where it is: `answer`, `tests[0].expected`. */
  readonly path: string;
  readonly value: string | number;
  /** Whether the names on the way say that this is what the agent should find. */
  readonly isAnswer: boolean;
}

// As a whole word of a name in any spelling: goldAnswer, gold_answer, answers.
const ANSWER = /(^|_)(answers?|solutions?|targets?|expected|labels?|gold|reference|correct|truth|outputs?)(_|$)/;

/** All texts and numbers of a value, those that look like answers first. */
export function leavesOf(value: JsonValue): Leaf[] {
  const leaves = [...walk(value, '', false)];
  return [...leaves.filter(({ isAnswer }) => isAnswer), ...leaves.filter(({ isAnswer }) => !isAnswer)];
}

function* walk(value: JsonValue, path: string, isAnswer: boolean): Generator<Leaf> {
  if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')) yield { path, value, isAnswer };
  else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* walk(each, `${path}[${index}]`, isAnswer);
  } else if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      yield* walk(each as JsonValue, path === '' ? key : `${path}.${key}`, isAnswer || looksLikeAnswer(key));
    }
  }
}

function looksLikeAnswer(key: string): boolean {
  return ANSWER.test(
    key
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replaceAll('-', '_')
      .toLowerCase(),
  );
}
