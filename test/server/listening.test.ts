import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { minimal } from '../support/minimal.ts';

test('an address that the machine does not have is refused with what to choose', async () => {
  await using server = await createServer({ environments: [minimal()], logger: false });
  // For documents only: no machine has it.
  await expect(server.listen({ host: '192.0.2.1' })).rejects.toThrow(
    'this machine has no address 192.0.2.1. Choose 127.0.0.1 for this machine only, 0.0.0.0 for all of its addresses, or one of them',
  );
});
