import { toolkit } from 'tiltyard';
import { expect, test } from 'vitest';
import { shareToolServer } from './support.ts';
import { add, RING } from './toolkits.ts';

// The server of the examples has one version of each tool.
const server = shareToolServer({
  toolkits: [
    toolkit({ name: 'Calculator', tools: { Add: add('1.0.0') } }),
    toolkit({ name: 'Doorbell', tools: { Ring: RING } }),
  ],
});

interface Example {
  readonly request: string;
  readonly status: number;
  readonly response: string;
}

/** The worked examples of the normative text, as they stand there. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  'O6: Successful Execution': {
    request: `{
"$schema": "urn:oxp:1.0",
"request": {
"call_id": "123e4567-e89b-12d3-a456-426614174000",
"tool_id": "Calculator.Add@1.0.0",
"input": {
"a": 10,
"b": 5
}
}
}`,
    status: 200,
    response: `{
"$schema": "urn:oxp:1.0",
"result": {
"call_id": "123e4567-e89b-12d3-a456-426614174000",
"duration": 2,
"success": true,
"value": 15
}
}`,
  },
  'T1: Server Error': {
    request: `{
"$schema": "urn:oxp:1.0",
"request": {
"call_id": "123e4567-e89b-12d3-a456-426614174000",
"tool_id": "Calculator.Add@2.0.0"
}
}`,
    status: 400,
    response: `{
"$schema": "urn:oxp:1.0",
"message": "Tool 'Calculator_Add' was not found",
"developer_message": "Calculator.Add version 2.0.0 is not available"
}`,
  },
  'E2: Input Validation Error': {
    request: `{
"$schema": "urn:oxp:1.0",
"request": {
"call_id": "123e4567-e89b-12d3-a456-426614174000",
"tool_id": "Calculator.Add@1.0.0",
"input": {
"a": 10,
"b": "infinity"
}
}
}`,
    status: 422,
    response: `{
"$schema": "urn:oxp:1.0",
"message": "Some input parameters are invalid",
"parameter_errors": {
"b": "Must be a number"
}
}`,
  },
  'E3: Tool Execution Error': {
    request: `{
"$schema": "urn:oxp:1.0",
"request": {
"call_id": "723e4567-e89b-12d3-a456-426614174006",
"tool_id": "Doorbell.Ring@0.1.0",
"input": {
"doorbell_id": "doorbell1"
}
}
}`,
    status: 200,
    response: `{
"$schema": "urn:oxp:1.0",
"result": {
"call_id": "723e4567-e89b-12d3-a456-426614174006",
"duration": 60,
"success": false,
"error": {
"message": "Doorbell ID not found",
"developer_message": "The doorbell with ID 'doorbell1' does not exist.",
"can_retry": true,
"additional_prompt_content": "ids: doorbell42,doorbell84",
"retry_after_ms": 500
}
}
}`,
  },
};

const headers = {
  'content-type': 'application/json',
  authorization: 'Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...',
};

/** The body as text, but for how long the call took, and for the versions that we list besides. */
function comparable(text: string): string {
  return JSON.stringify(JSON.parse(text))
    .replace(/"duration":\d+/, '"duration":0')
    .replace(' (available: 1.0.0)', '');
}

async function expectExample({ request, status, response }: Example, path: string): Promise<void> {
  const answer = await server().request('POST', path, { headers, raw: request });
  expect(answer.status).toBe(status);
  expect(comparable(answer.text)).toBe(comparable(response));
}

test.each(Object.entries(EXAMPLES))('OXP %s, as the normative text has it', async (_name, example) => {
  await expectExample(example, '/call');
  await expectExample(example, '/tools/call');
});

test('OXP O6, T1, E2, E3: the examples one after the other, although three of them share a call_id', async () => {
  const all = Object.values(EXAMPLES);
  for (const example of [...all, ...all.toReversed()]) await expectExample(example, '/call');
});
