import { isObject } from '../protocol/index.ts';
import { describe } from './content.ts';
import { EFFECTS } from './durability.ts';
import { DefinitionError } from './errors.ts';
import { assertKnownKeys } from './known-keys.ts';
import { LONGEST_TIMER_MS } from './limit-values.ts';
import { aName, aString, listOf, must, objectOf, oneOf, type Rule, trueOrFalse, wholeNumber } from './rules.ts';
import type { Tool, ToolAnnotations, ToolAuthorization, ToolOptions, ToolRequirements } from './tool.ts';

/** Refuses what is not a tool; `where` names it in the message. */
export function assertTool(definition: unknown, where: string): asserts definition is Tool {
  if (!isObject(definition))
    throw new DefinitionError(`${where} must be an object with a run function, not ${describe(definition)}`);
  assertKnownKeys(definition, KEYS, where);
  if (typeof definition.run !== 'function')
    throw new DefinitionError(`${where} has no run function. Add run(input, context) { ... }`);
  for (const [option, rule] of Object.entries(RULES)) {
    if (definition[option] !== undefined) rule(definition[option], `${where}: ${option}`);
  }
}

const OAUTH2: Record<keyof NonNullable<ToolAuthorization['oauth2']>, Rule> = {
  scopes: listOf(aName, "['mail.read']"),
};

const AUTHORIZATION = objectOf({
  required: { id: aName, url: aName },
  optional: { oauth2: objectOf({ optional: OAUTH2 }) },
});

const REQUIREMENTS: Record<keyof ToolRequirements, Rule> = {
  secrets: listOf(aName, "['API_KEY']"),
  userId: trueOrFalse,
  authorization: listOf(AUTHORIZATION, "[{ id: 'mail', url: 'https://...' }]"),
};

const ANNOTATIONS: Record<keyof ToolAnnotations, Rule> = {
  title: aString,
  readOnlyHint: trueOrFalse,
  destructiveHint: trueOrFalse,
  idempotentHint: trueOrFalse,
  openWorldHint: trueOrFalse,
};

// Not the schemas: what is wrong with them shows when they are made ready.
const RULES: Record<Exclude<keyof ToolOptions<unknown, unknown>, 'input' | 'output'>, Rule> = {
  description: aString,
  version: must('three numbers such as 1.0.0', isVersion),
  shared: trueOrFalse,
  concurrent: trueOrFalse,
  timeoutMs: wholeNumber('ms', { most: LONGEST_TIMER_MS }),
  canRetry: trueOrFalse,
  maxOutputBytes: wholeNumber('bytes'),
  requirements: objectOf({ optional: REQUIREMENTS }),
  scopes: listOf(aName, "['mail']"),
  effects: oneOf(EFFECTS),
  annotations: objectOf({ optional: ANNOTATIONS }),
};

const KEYS = ['input', 'output', 'run', ...Object.keys(RULES)];

function isVersion(value: unknown): boolean {
  return typeof value === 'string' && /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(value);
}
