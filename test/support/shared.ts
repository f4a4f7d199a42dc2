import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** What a test starts and must stop. */
export interface Started {
  readonly server: { close(): Promise<void> };
}

/** Starts something for one test; it is stopped when the test ends. */
export async function startForTest<Thing extends Started>(launch: () => Promise<Thing>): Promise<Thing> {
  const started = await launch();
  onTestFinished(() => started.server.close());
  return started;
}

/** Starts something once for all tests of a file; the returned function gives it while they run. */
export function shareInFile<Thing extends Started>(launch: () => Promise<Thing>): () => Thing {
  let shared: Thing | undefined;
  beforeAll(async () => {
    shared = await launch();
  });
  afterAll(() => shared?.server.close());
  return () => {
    if (shared === undefined) throw new Error('what is shared is there only while tests run');
    return shared;
  };
}
