import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Answer } from '../support/http.ts';
import { readEvents, toPayloads } from '../support/sse.ts';
import type { Operation } from './operations.ts';

/** Checks answers against an OpenAPI document. */
export interface Contract {
  /** Fails the test unless the document allows this answer. */
  expect(operation: Operation, answer: Answer): void;
  /** Whether a value fits a schema of the document. */
  fits(schema: object, value: unknown): boolean;
}

/** The contract that a document is. */
export function contractOf({ components }: any): Contract {
  // Strict: a keyword with a typing mistake would allow everything.
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, allowUnionTypes: true }).addVocabulary([
    'components',
    // The environments of these tests have it in a tool's input.
    'x-unit',
  ]);
  const compiled = new Map<object, ValidateFunction>();
  const compile = (schema: object) => {
    const known = compiled.get(schema) ?? ajv.compile({ components, allOf: [schema] });
    compiled.set(schema, known);
    return known;
  };
  const expectValue = (schema: object, value: unknown, what: string) => {
    const validate = compile(schema);
    expect(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  };
  const expectEvents = ({ contentSchema }: any, text: string, what: string) => {
    const events = readEvents(text);
    expectValue(contentSchema, events, what);
    const end = components.schemas[contentSchema.$ref.split('/').at(-1)].items.oneOf.find(
      ({ properties }: any) => properties.event.enum[0] === 'end',
    );
    if (events.at(-1)?.event !== 'end') return;
    expectValue(end.properties.data.contentSchema, JSON.parse(toPayloads(events).join('')), `${what}: its end`);
  };
  return {
    fits: (schema, value) => compile(schema)(value) as boolean,
    expect({ name, responses }, { status, headers, text, json }) {
      const what = `${name}: ${status} ${text.slice(0, 300)}`;
      const response = responses[status] ?? responses[`${String(status)[0]}XX`];
      expect(response, `${what} is not described`).toBeDefined();
      if (response.content === undefined) return expect(text, what).toBe('');
      const type = headers.get('content-type')?.split(';')[0] ?? '';
      const media = response.content[type];
      expect(media, `${what}: ${type} is not described`).toBeDefined();
      if (type === 'text/event-stream') expectEvents(media.schema, text, what);
      else expectValue(media.schema, type === 'text/plain' ? text : json, what);
    },
  };
}
