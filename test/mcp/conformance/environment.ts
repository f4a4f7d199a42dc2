import { type Environment, environment, image, ToolError, text } from 'tiltyard';

// What the official suite looks for, as far as an environment has it.
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** An environment with the tools that the suite calls. */
export const conformance: Environment = environment({
  name: 'conformance',
  splits: { train: [{}] },
  prompt: () => 'Be conformant.',
  tools: {
    test_simple_text: {
      description: 'Returns a text.',
      run: () => 'This is a simple text response for testing.',
    },
    test_image_content: { description: 'Returns an image.', run: () => image(PIXEL, 'image/png') },
    test_multiple_content_types: {
      description: 'Returns a text and an image.',
      run: () => [text('Multiple content types test:'), image(PIXEL, 'image/png')],
    },
    test_error_handling: {
      description: 'Fails.',
      run() {
        throw new ToolError('This tool intentionally returns an error for testing');
      },
    },
    test_tool_with_progress: {
      description: 'Takes a moment.',
      async run() {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return 'done';
      },
    },
    json_schema_2020_12_tool: {
      description: 'Has a schema of 2020-12.',
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
      run: () => 'ok',
    },
  },
});
