import { defineConfig } from 'vitest/config';

const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname;

export default defineConfig({
  // Tests and examples import the package by its name, as users do, and get the sources.
  resolve: {
    alias: [
      { find: /^tiltyard$/, replacement: source('index.ts') },
      { find: /^tiltyard\/(\w+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 20_000,
  },
});
