import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultJson, withoutLineBreaks } from './sse.ts';

const detail = fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: null });
const block = fc.oneof(
  fc.record({ text: fc.string({ unit: 'binary' }), detail, type: fc.constant('text' as const) }),
  fc.record({ data: fc.string(), mimeType: fc.string(), detail, type: fc.constant('image' as const) }),
);

test('the text of a result is what JSON.stringify writes, without what some clients take for line breaks', () => {
  fc.assert(
    fc.property(
      fc.record({
        blocks: fc.array(block),
        metadata: detail,
        reward: fc.option(fc.double(), { nil: null }),
        finished: fc.boolean(),
      }),
      (output) => {
        const written = resultJson(output as never);
        expect(written).toBe(
          withoutLineBreaks(
            JSON.stringify({
              ok: true,
              output: {
                blocks: output.blocks,
                metadata: output.metadata,
                reward: output.reward,
                finished: output.finished,
              },
            }),
          ),
        );
      },
    ),
  );
});
