import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Answer } from '../support/http.ts';

// The published description of OXP 1.0, as it is.
const FILE = new URL('./fixtures/oxp-openapi.json', import.meta.url);

const description = amend(JSON.parse(readFileSync(FILE, 'utf8')));

const ajv = new Ajv2020({ strict: false, allErrors: true })
  .addFormat('uri', (text: string) => URL.canParse(text))
  .addSchema(description, 'oxp');

/** Checks an answer against what the description says of its path, method and status. */
export function expectDescribed(method: string, path: string, answer: Answer): void {
  const where = toDescribed(path);
  if (where === undefined) return;
  const shown = `${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`;
  expect(answer.headers.get('content-type'), shown).toMatch(/^application\/json\b/);
  if (answer.status >= 400) expect(answer.text, shown).not.toMatch(/\\n\s+at |node_modules|<html/i);
  if (where === '/health' || method === 'HEAD') return;
  const validate = ajv.getSchema(pointerOf(where, method, answer.status)) as ValidateFunction;
  expect(validate(answer.json), `${shown}\n${ajv.errorsText(validate.errors)}`).toBe(true);
  // The description leaves it open; the normative text does not.
  expect(answer.json.$schema, shown).toBe('urn:oxp:1.0');
}

// The examples of the normative text call the endpoint /call.
function toDescribed(path: string): '/health' | '/tools' | '/tools/call' | undefined {
  const bare = path.replace(/\?.*/, '').replace(/\/$/, '');
  if (bare === '/health' || bare === '/tools') return bare;
  return bare === '/tools/call' || bare === '/call' ? '/tools/call' : undefined;
}

/** Where the schema of a response stands; every error that has none of its own has the body of a server error. */
function pointerOf(path: string, method: string, status: number): string {
  const response = description.paths[path]?.[method.toLowerCase()]?.responses[status];
  if (response?.content === undefined) return 'oxp#/components/schemas/ServerErrorResponse';
  const steps = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', 'application/json'];
  return `oxp#/${[...steps, 'schema'].map((step) => step.replaceAll('/', '~1')).join('/')}`;
}

/** Mends the one place where the description forbids what it describes. */
function amend(published: any): any {
  const result = published.components.schemas.CallToolResponse;
  // `additionalProperties` sees only the `properties` beside it, so `value` and `error`, which stand inside `oneOf`,
  // would never be allowed; this is the keyword that means what is meant.
  const { additionalProperties: unevaluatedProperties, ...rest } = result;
  published.components.schemas.CallToolResponse = { ...rest, unevaluatedProperties };
  return published;
}
