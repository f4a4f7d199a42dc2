import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests and examples import the package by its name, as users do, and get the sources.
  ssr: { resolve: { conditions: ['tiltyard-source', 'node', 'import', 'default'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    // These have a run of their own: npm run test:interop.
    exclude: ['test/interop/**'],
    testTimeout: 20_000,
    // Most tests wait for sockets rather than for the processor.
    maxWorkers: Math.max(2, availableParallelism()) + 1,
  },
});
