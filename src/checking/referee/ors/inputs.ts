import { isObject, type JsonObject, type JsonValue } from '../../../protocol/index.ts';
import type { InvalidInput } from '../generate-input.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { insistStatus } from './answers.ts';
import { inGroup } from './group.ts';
import { insistEnvelope, OFFICIAL } from './refusals.ts';
import type { CallRecord } from './sampled-calls.ts';
import type { OrsSubject } from './subject.ts';

const MAX_INVALID_CALLS = 60;

/** Group C, second part: what inputs a tool gets to see. */
export const inputProbes: readonly Probe<OrsSubject>[] = inGroup('Tool inputs', [
  {
    id: 'C9',
    level: 'specified',
    requirement: 'An input that breaks the input_schema is 400.',
    source: 'ors-http-api.txt:421, ors-data-types.txt:426',
    isActive: true,
    async run(subject, http) {
      const { name, input, what } = await firstInvalid(subject, http);
      insistStatus((await subject.calls.make(http, { name, input })).answer, 400, `a call of '${name}' ${what}`);
    },
  },
  {
    id: 'C9a',
    level: 'interop',
    requirement: 'To official clients such an input is `ok: false` with "Tool input validation error".',
    source: 'ors-sdk 0.1.0 environment.py:252',
    isActive: true,
    async run(subject, http) {
      const { name, input } = await firstInvalid(subject, http);
      insistEnvelope(await subject.calls.make(http, { name, input }, OFFICIAL), /^Tool input validation error/);
    },
  },
  {
    id: 'C10',
    level: 'hardening',
    requirement: 'What is said about a bad input names the property that is wrong.',
    source: 'ors-tools.txt:315-329',
    isActive: true,
    async run(subject, http) {
      const { name, input, property } = await firstInvalid(subject, http);
      const { answer } = await subject.calls.make(http, { name, input });
      insist(answer.text.includes(property), `the answer must name '${property}'`);
    },
  },
  {
    id: 'C11',
    level: 'specified',
    requirement: 'All of the input_schema counts: required, types, enum, nested objects, items, minimum, maximum.',
    source: 'ors-tools.txt:85-95,217',
    isActive: true,
    async run(subject, http) {
      for (const { name, input, what } of await allInvalid(subject, http)) {
        const call = await subject.calls.make(http, { name, input });
        insist(isRefused(call), `a call of '${name}' ${what} must be refused`);
      }
    },
  },
  {
    id: 'C13',
    level: 'interop',
    requirement: 'A number or truth value may come as text: "42" passes for 42.',
    source: 'ors-tools.txt:99-104',
    isActive: true,
    run: (subject, http) =>
      tryVariant(subject, http, (input, { properties }) => {
        const found = Object.entries(input).find(([key, value]) => {
          const type = isObject(properties[key]) && properties[key].type;
          return typeof value !== 'string' && (type === 'number' || type === 'integer' || type === 'boolean');
        });
        return found && { ...input, [found[0]]: String(found[1]) };
      }),
  },
  {
    id: 'C14',
    level: 'interop',
    requirement: 'null for a property that may be left out counts as left out.',
    source: 'huggingface/trl environment.py',
    isActive: true,
    run: (subject, http) =>
      tryVariant(subject, http, (input, { properties, schema }) => {
        const optional = Object.keys(properties).filter((key) => !(key in input));
        const isAllowed = subject.schemas.allowed(
          schema,
          optional.map((key) => ({ ...input, [key]: null })),
        );
        const found = optional.find((_key, at) => isAllowed[at] === false);
        return found === undefined ? undefined : { ...input, [found]: null };
      }),
  },
  {
    id: 'C15',
    level: 'interop',
    requirement: 'Further properties are taken, unless the schema forbids them.',
    source: 'ors-sdk 0.1.0 (pydantic)',
    isActive: true,
    run: (subject, http) =>
      tryVariant(subject, http, (input, { schema }) => {
        const more = { ...input, tiltyard_further: 1 };
        return subject.schemas.allowed(schema, [more])[0] === true ? more : undefined;
      }),
  },
  {
    id: 'C16',
    level: 'specified',
    requirement: 'A tool that takes nothing is called with {}, and ignores what comes besides.',
    source: 'ors-tools.txt:171-180',
    isActive: true,
    async run({ calls }, http) {
      const tool = (await calls.tools(http)).find(({ input_schema }) => input_schema === null);
      need(tool !== undefined, 'every tool takes something');
      for (const input of [{}, { tiltyard_further: 1 }]) {
        const call = await calls.make(http, { name: tool.name, input });
        insist(!isInputRefused(call), `a call of '${tool.name}' with ${JSON.stringify(input)} must not be refused`);
      }
    },
  },
]);

type InvalidCall = InvalidInput & { readonly name: string };

async function allInvalid({ calls, schemas }: OrsSubject, http: Recorder): Promise<InvalidCall[]> {
  const found = (await calls.tools(http)).flatMap(({ name, input_schema }) =>
    schemas.invalidInputs(input_schema).map((invalid) => ({ name, ...invalid })),
  );
  need(found.length > 0, 'no schema forbids anything');
  return found.slice(0, MAX_INVALID_CALLS);
}

async function firstInvalid(subject: OrsSubject, http: Recorder): Promise<InvalidCall> {
  const [first] = await allInvalid(subject, http);
  return first as InvalidCall;
}

// By status, or inside the stream: which of them is right is for C9 to say.
function isRefused({ answer, result }: CallRecord): boolean {
  return answer.status === 400 || answer.status === 422 || result?.ok === false;
}

// A tool may report a failure of its own, which says nothing about its input.
function isInputRefused(call: CallRecord): boolean {
  const { result } = call;
  return isRefused(call) && (result === undefined || /validation|invalid input/i.test(String(result.error)));
}

interface Known {
  readonly schema: JsonObject;
  readonly properties: Readonly<Record<string, JsonValue>>;
}

type Vary = (input: JsonObject, known: Known) => JsonObject | undefined;

// Calls the first tool whose input can be varied so; the call must not be refused.
async function tryVariant({ calls, schemas }: OrsSubject, http: Recorder, vary: Vary): Promise<void> {
  const refused = (await calls.samples(http)).filter(isInputRefused).map(({ request }) => request.name);
  for (const { name, input_schema: schema } of await calls.tools(http)) {
    const input = schemas.input(schema);
    if (schema === null || input === undefined || refused.includes(name)) continue;
    const properties = isObject(schema.properties) ? schema.properties : {};
    const varied = vary(input, { schema, properties: properties as Known['properties'] });
    if (varied === undefined) continue;
    const call = await calls.make(http, { name, input: varied });
    insist(!isInputRefused(call), `a call of '${name}' with ${JSON.stringify(varied)} must not be refused`);
    return;
  }
  need(false, 'no tool has such an input');
}
