import { CALL_OUTCOMES, EPISODE_OUTCOMES, type JsonObject } from '../protocol/index.ts';
import { FAULTS, RECORD_VERSION, STOPS } from './events.ts';

const text: JsonObject = { type: 'string' };
const number: JsonObject = { type: 'number' };
const count: JsonObject = { type: 'integer', minimum: 0 };
const maybeNumber: JsonObject = { type: ['number', 'null'] };
const texts: JsonObject = { type: 'object', additionalProperties: text };
const anything: JsonObject = {};
const blob: JsonObject = { $ref: '#/$defs/blob' };
const longText: JsonObject = { anyOf: [text, blob] };
const blocks: JsonObject = { type: 'array', items: { $ref: '#/$defs/block' } };
const maybeObject: JsonObject = { type: ['object', 'null'] };

/** The JSON Schema of one line of a record, as it stands in the file. */
export const RECORD_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:tiltyard:record:${RECORD_VERSION}`,
  title: 'A line of a Tiltyard record',
  description:
    'One event of an episode. Readers ignore fields that they do not know. Anything large may be a blob: an object with the key $blob.',
  oneOf: ['episode', 'prompt', 'message', 'call', 'returned', 'failed', 'note', 'end'].map((name) => ({
    $ref: `#/$defs/${name}`,
  })),
  $defs: {
    episode: event('episode', ['v', 'by', 'environment', 'versions'], {
      v: { type: 'integer', minimum: 1, maximum: RECORD_VERSION },
      by: { enum: ['server', 'run', 'play', 'test'] },
      environment: text,
      split: text,
      index: { type: 'integer' },
      task: { type: 'object' },
      taskHash: text,
      seed: { type: 'integer' },
      id: text,
      identity: text,
      repeat: count,
      attempt: { type: 'integer', minimum: 1 },
      agent: text,
      tools: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/tool' } }, blob] },
      versions: texts,
      tags: { type: 'object' },
    }),
    prompt: event('prompt', ['blocks'], { blocks }),
    message: event('message', ['role', 'format', 'body'], {
      role: { enum: ['system', 'user', 'assistant', 'tool'] },
      format: text,
      body: anything,
      model: object(['name', 'context', 'ms'], {
        name: text,
        context: { type: 'array', items: { type: 'array', items: count, minItems: 2, maxItems: 2 } },
        parameters: { type: 'object' },
        ms: number,
        usage: object(['input', 'output'], {
          ...{ input: count, output: count, cached: count, reasoning: count },
          estimated: { type: 'boolean' },
        }),
        stop: text,
      }),
    }),
    call: event('call', ['tool', 'input'], { tool: text, input: anything, id: text, message: count }),
    returned: event('result', ['call', 'ms', 'outcome', 'blocks', 'reward', 'finished', 'metadata'], {
      call: count,
      ms: number,
      outcome: { const: 'returned' },
      blocks,
      reward: maybeNumber,
      finished: { type: 'boolean' },
      metadata: maybeObject,
    }),
    failed: event('result', ['call', 'ms', 'outcome', 'failure'], {
      call: count,
      ms: number,
      outcome: { enum: CALL_OUTCOMES.filter((outcome) => outcome !== 'returned') },
      failure: object(['reason', 'message'], { reason: text, message: longText, code: text }),
    }),
    note: event('note', ['text'], { text: longText, data: anything }),
    end: event('end', ['outcome', 'ms', 'calls', 'rewards'], {
      outcome: { enum: [...EPISODE_OUTCOMES] },
      stop: { enum: [...STOPS] },
      fault: { enum: [...FAULTS] },
      ms: number,
      calls: count,
      rewards: object(['count', 'sum', 'last', 'min', 'max'], {
        count,
        sum: maybeNumber,
        last: maybeNumber,
        min: maybeNumber,
        max: maybeNumber,
      }),
    }),
    block: {
      oneOf: [
        object(['type', 'text', 'detail'], { type: { const: 'text' }, text: longText, detail: maybeObject }),
        object(['type', 'data', 'mimeType', 'detail'], {
          type: { const: 'image' },
          data: longText,
          mimeType: text,
          detail: maybeObject,
        }),
      ],
    },
    tool: object(['name', 'description', 'input_schema'], { name: text, description: text, input_schema: maybeObject }),
    blob: {
      description: 'Stands for what is in the file blobs/<$blob>.',
      ...object(['$blob', 'as', 'bytes'], {
        $blob: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        as: { enum: ['text', 'base64', 'json'] },
        bytes: count,
        prefix: text,
      }),
    },
  },
};

function event(type: string, required: readonly string[], properties: JsonObject): JsonObject {
  return object(['n', 'at', 'type', ...required], { n: count, at: number, type: { const: type }, ...properties });
}

function object(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: 'object', required: [...required], properties };
}
