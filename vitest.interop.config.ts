import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['tiltyard-source', 'node', 'import', 'default'] } },
  test: {
    include: ['test/interop/**/*.test.ts'],
    globalSetup: 'test/interop/python-environment.ts',
    // Starting Python and setups of 40 s are most of the time, so all files go side by side, however few the cores.
    maxWorkers: 8,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
