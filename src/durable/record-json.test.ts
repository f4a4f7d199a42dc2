import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordJson } from './record-json.ts';
import type { EndRecord } from './records.ts';

const text = fc.string({ unit: 'binary' });

const endRecord: fc.Arbitrary<EndRecord> = fc.record(
  {
    type: fc.constant('end' as const),
    at: fc.nat(),
    call: fc.record({ id: text, tool: text, input: fc.json(), attempt: fc.nat() }),
    ending: fc.oneof(
      fc.record({ kind: fc.constant('returned' as const), json: fc.json() }),
      fc.constant({ kind: 'refused' as const, failure: { code: 'tool_not_found' as const, message: 'no' } }),
      fc.constant(undefined),
    ),
    told: fc.option(text, { nil: undefined }),
    durationMs: fc.nat({ max: 1_000_000_000 }).map((micros) => micros / 1000),
    reward: fc.oneof(fc.constant(null), fc.double()),
    finished: fc.boolean(),
    saved: fc.option(text, { nil: undefined }),
    tainted: fc.option(text, { nil: undefined }),
  },
  { requiredKeys: ['type', 'at', 'call', 'durationMs', 'reward', 'finished'] },
) as fc.Arbitrary<EndRecord>;

test('a record comes back from its JSON as it was, without its state', () => {
  fc.assert(
    fc.property(endRecord, ({ told, ...record }) => {
      // Where there is a digest, there is no result.
      const kept = record.ending === undefined ? { ...record, told } : record;
      expect(JSON.parse(recordJson(kept))).toEqual(JSON.parse(JSON.stringify({ ...kept, saved: undefined })));
    }),
  );
});
