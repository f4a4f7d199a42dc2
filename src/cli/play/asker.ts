import { CANCEL_SYMBOL, select, text } from '@clack/prompts';
import { EXIT_CODES, Failure } from '../shared/failure.ts';

/** A question that is answered by typing. */
export interface TextQuestion {
  readonly message: string;
  /** Shown until something is typed. */
  readonly hint?: string;
  /** Shown afterwards in the place of an answer that was empty. */
  readonly whenEmpty?: string | undefined;
  /** What is wrong with an answer; it is then asked for again. */
  readonly check: (answer: string) => string | undefined;
}

/** One of the answers to choose from. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** A question that is answered by choosing. */
export interface ChoiceQuestion<Value> {
  readonly message: string;
  readonly choices: readonly Choice<Value>[];
  /** Which of them is offered first, by its place. */
  readonly initial?: number;
}

/** Asks a person. Rejects with Back at Esc, and with an interruption at Ctrl-C. */
export interface Asker {
  type(question: TextQuestion): Promise<string>;
  choose<Value>(question: ChoiceQuestion<Value>): Promise<Value>;
}

/** The person wants to go a step back; where there is none, it ends the command as Ctrl-C does. */
export class Back extends Failure {
  constructor() {
    super('interrupted', EXIT_CODES.interrupted);
  }
}

/** Asks in the terminal of this process. */
export function terminalAsker(signal: AbortSignal): Asker {
  return {
    async type({ message, hint = '', whenEmpty, check }) {
      // The library gives what it shows, and not what was typed.
      let typed = '';
      const validate = (answer = '') => {
        typed = answer;
        return check(answer);
      };
      const shown = whenEmpty === undefined ? {} : { defaultValue: whenEmpty };
      await answered(signal, (signal) =>
        text({ message, placeholder: hint, ...shown, withGuide: false, signal, validate }),
      );
      return typed;
    },
    async choose({ message, choices, initial = 0 }) {
      // By their places: values may be objects, or equal.
      const options = choices.map(({ label, hint }, value) => ({ value, label, ...(hint ? { hint } : {}) }));
      const at = await answered(signal, (signal) =>
        select({ message, options, initialValue: initial, maxItems: 12, withGuide: false, signal }),
      );
      const chosen = choices[at];
      if (chosen === undefined) throw new Error(`there is no choice ${at}`);
      return chosen.value;
    },
  };
}

/** The answer, or what the key that ended the question stands for. */
async function answered<Value>(
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Value | typeof CANCEL_SYMBOL>,
): Promise<Value> {
  let last: string | undefined;
  const onKey = (_character: unknown, key: { readonly name?: string } | undefined) => {
    last = key?.name;
  };
  process.stdin.on('keypress', onKey);
  try {
    // One for each question: the library goes on listening to those that it is given.
    const answer = await ask(AbortSignal.any([signal]));
    if (answer !== CANCEL_SYMBOL) return answer;
  } finally {
    process.stdin.off('keypress', onKey);
  }
  if (signal.aborted) throw signal.reason;
  // The library takes both keys for the same.
  throw last === 'escape' ? new Back() : new Failure('interrupted', EXIT_CODES.interrupted);
}
