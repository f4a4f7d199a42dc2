import { expect, test } from 'vitest';
import { tracing } from './tracing.ts';

test('where no SDK is registered nothing traces, so that nothing is spent on it', () => {
  expect(tracing()).toBeUndefined();
});
