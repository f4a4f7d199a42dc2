import { MAX_SECRET_CHARACTERS, MAX_SECRETS } from '../../core/index.ts';
import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import type { EnvironmentManifest, Manifest } from '../../sessions/index.ts';
import { object, only, ref, type Schemas, withOneOf } from './operation.ts';
import { describeCalls, type NamedTool } from './tool-calls.ts';

const OBJECT = { type: 'object' };
const OBJECT_OR_NULL = { type: ['object', 'null'] };
const NULL = { type: 'null' };

/**
 * The schemas of requests to these environments. OpenAPI cannot say that one part of a request depends on another, such as the
 * splits on the environment in the path: so whatever one of the environments takes is right.
 */
export function orsSchemas({ environments }: Manifest): Schemas {
  const shared = environments.flatMap(({ sharedTools }) => sharedTools);
  // Tools that only some tasks have are not listed by /tools either.
  const others = environments.some(({ sharedTools, allTools }) => sharedTools.length < allTools.length);
  const ranges = taskRanges(environments);
  const { rules, inputs } = describeCalls(groupByName(shared), { key: 'name', others });
  return {
    EnvironmentName: {
      ...only(...environments.map(({ name }) => name)),
      description: 'The name of an environment; case does not count.',
    },
    SplitName: { ...only(...splitNames(environments)), description: 'The name of a split.' },
    TaskPlace: withOneOf(
      object({ split: ref('SplitName'), index: INDEX }),
      ranges.map((range) => object(range)),
    ),
    CreateRequest: createRequest(ranges),
    CallRequest: withOneOf(CallRequest, rules),
    ...inputs,
  };
}

function groupByName(tools: readonly ToolSpec[]): NamedTool[] {
  const groups = new Map<string, Map<string, ToolSpec['input_schema']>>();
  for (const { name, input_schema: schema } of tools) {
    const inputs = groups.get(name) ?? new Map();
    groups.set(name, inputs.set(JSON.stringify(schema), schema));
  }
  return [...groups].map(([name, inputs]) => ({ names: [name], label: name, inputs: [...inputs.values()] }));
}

function splitNames(environments: readonly EnvironmentManifest[]): string[] {
  return [...new Set(environments.flatMap(({ splits }) => splits.map(({ name }) => name)))];
}

const INDEX = { type: 'integer', minimum: 0 };

/** A split, or some, and the indexes of its tasks. */
type TaskRange = Readonly<Record<'split' | 'index', JsonObject>>;

// With more splits than this, the document only names them.
const MAX_RANGES = 100;

/** The splits, and how far the indexes go in those whose number of tasks is known. */
function taskRanges(environments: readonly EnvironmentManifest[]): TaskRange[] {
  const names = splitNames(environments);
  const counts = names.map((split) => [split, largestCount(environments, split)] as const);
  const known = counts.filter((entry): entry is [string, number] => entry[1] !== undefined && entry[1] > 0);
  const others = counts.filter(([, count]) => count === undefined).map(([split]) => split);
  if (known.length === 0 || known.length > MAX_RANGES) return [{ split: only(...names), index: INDEX }];
  const ranges = known.map(([split, count]) => ({ split: only(split), index: { ...INDEX, maximum: count - 1 } }));
  return others.length === 0 ? ranges : [...ranges, { split: only(...others), index: INDEX }];
}

function largestCount(environments: readonly EnvironmentManifest[], split: string): number | undefined {
  const owners = environments.filter(({ splits }) => splits.some(({ name }) => name === split));
  const counts = owners.map(({ taskCounts }) => (Object.hasOwn(taskCounts, split) ? taskCounts[split] : undefined));
  return counts.every((count) => count !== undefined) ? Math.max(...counts) : undefined;
}

function createRequest(ranges: readonly TaskRange[]): JsonObject {
  return {
    ...object(CREATE_PROPERTIES, Object.keys(CREATE_PROPERTIES)),
    anyOf: [
      { properties: { task_spec: OBJECT, split: NULL, index: NULL }, required: ['task_spec'] },
      ...ranges.map((range) => ({ properties: { task_spec: NULL, ...range }, required: ['split', 'index'] })),
    ],
  };
}

const CREATE_PROPERTIES: JsonObject = {
  env_name: { anyOf: [ref('EnvironmentName'), NULL], description: 'The environment; the first one when left out.' },
  task_spec: { ...OBJECT_OR_NULL, description: 'The task itself. Give this, or `split` and `index`.' },
  split: { type: ['string', 'null'] },
  index: { type: ['integer', 'null'], minimum: 0 },
  secrets: {
    ...OBJECT_OR_NULL,
    additionalProperties: { type: 'string', maxLength: MAX_SECRET_CHARACTERS },
    maxProperties: MAX_SECRETS,
    description: 'Handed to the environment.',
  },
  toolset_name: { ...NULL, description: 'There are no toolsets.' },
};

const CallRequest: JsonObject = object(
  {
    name: { type: 'string', minLength: 1, description: 'The name of a tool.' },
    input: { ...OBJECT, description: 'What the `input_schema` of the tool asks for.' },
    task_id: {
      type: ['string', 'null'],
      pattern: '^[\\x21-\\x7e]{1,256}$',
      description: 'An id for this call. A repeat of it does not run the tool again, but gets the same result.',
    },
  },
  ['task_id'],
);
