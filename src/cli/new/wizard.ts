import { type CANCEL_SYMBOL, intro, isCancel, outro, select, text } from '@clack/prompts';
import { EXIT_CODES, Failure } from '../shared/failure.ts';
import { KINDS, type Kind } from './kinds.ts';
import { problemOf, toProjectName } from './names.ts';
import type { NewOptions, Plan } from './plan.ts';
import { occupationOf } from './write-project.ts';

/** Asks for what was not given. */
export async function askFor(givenFolder: string | undefined, given: NewOptions): Promise<Plan> {
  intro('Create a project');
  const folder = givenFolder ?? (await askFolder());
  const kind = given.kind ?? (await askKind());
  const name = given.name ?? (await askName(folder, kind));
  outro('Ready.');
  return { folder, kind, name };
}

async function askFolder(): Promise<string> {
  const suggestion = 'my-project';
  return answered(
    await text({
      message: 'Where should the project go?',
      placeholder: suggestion,
      defaultValue: suggestion,
      validate: (answer) => occupationOf(answer || suggestion),
    }),
  );
}

async function askKind(): Promise<Kind> {
  const options = Object.entries(KINDS).map(([value, hint]) => ({ value: value as Kind, label: value, hint }));
  return answered(await select<Kind>({ message: 'What do you want to write?', options }));
}

async function askName(folder: string, kind: Kind): Promise<string> {
  const suggestion = toProjectName(folder);
  return answered(
    await text({
      message: 'What is its name?',
      placeholder: suggestion,
      defaultValue: suggestion,
      // Enter alone takes the suggestion, which is checked as well.
      validate: (answer) => problemOf(answer || suggestion, kind),
    }),
  );
}

function answered<Answer>(answer: Answer | typeof CANCEL_SYMBOL): Answer {
  if (isCancel(answer)) throw new Failure('cancelled; nothing was created', EXIT_CODES.interrupted);
  return answer as Answer;
}
