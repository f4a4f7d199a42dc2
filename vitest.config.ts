import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

const cores = Math.max(2, availableParallelism());

// Needs Python, or nginx, or the npm registry, or takes long: `npm run test:all`, and not `npm test`.
const SLOW = [
  // A process, or several, for each test.
  'test/cli/{auth,authors-code,bench,dev,dev-types,hostile,interruption,limits,load-errors,new-project,run-process,secrets,serve,silent-server,studio,waiting-room,watchdog}.test.ts',
  // A hundred broken servers, each examined by the referee.
  'test/referee/{breakages,call-breakages,oxp-broken}.test.ts',
  'test/client/{hostile,restart}.test.ts',
  // Servers of NATS, and nodes.
  'test/cluster/{losses,operating,sharing}.test.ts',
  'test/durable/{command,off}.test.ts',
  'test/hosts/workers.test.ts',
  'test/journal/{crash,full-disk,growth,ownership}.test.ts',
  'test/records/{commands,continued,full-disk,kill}.test.ts',
  'test/workers/**/*.test.ts',
  // A browser.
  'test/browser/**/*.test.ts',
  'test/deploy/**/*.test.ts',
  'test/{build,packed,wasm}.test.ts',
  'test/proof/{chaos,durable,durable-controls,fuzz,runs,settings,siege,simulate,soak}.test.ts',
  'test/readme-commands.test.ts',
  // A process for each client.
  'test/mcp/{coding-agents,command-agents,conformance,stdio}.test.ts',
  // Waits for providers that ask to be left alone; processes, some of which are killed.
  'test/rollouts/{kill,load,secure,silence}.test.ts',
];
const INTEROP = ['test/interop/**/*.test.ts'];
// What it finds depends on chance, so it is for people who look at it: `npm run test:chaos`.
const BY_HAND = ['test/proof/cluster.test.ts'];
// These measure the memory of their process, or count its timers, and so need one of their own.
const ALONE = [
  'src/protocol/cut-text.test.ts',
  'src/server/http/shutdown.test.ts',
  'src/server/observe/fast-log.test.ts',
  'src/sessions/sessions.test.ts',
  'test/ors/{lifecycle,reconnect}.test.ts',
  'test/server/body-memory.test.ts',
];

const projects: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'fast',
      include: ['{src,ui,test,examples}/**/*.test.ts'],
      exclude: [...SLOW, ...INTEROP, ...ALONE, ...BY_HAND],
      // Nothing takes nearly as long unless the machine is busy with something else.
      testTimeout: 60_000,
      // A browser, or a server with a journal, may take a while to start where the cores are shared.
      hookTimeout: 60_000,
      // Most tests wait for sockets rather than for the processor.
      maxWorkers: cores + 1,
      // Loading the packages that all files share would take longer than most tests.
      isolate: false,
      sequence: { groupOrder: 0 },
    },
  },
  {
    extends: true,
    test: {
      name: 'alone',
      include: ALONE,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      maxWorkers: cores + 1,
      sequence: { groupOrder: 0 },
    },
  },
  {
    extends: true,
    test: {
      name: 'slow',
      include: SLOW,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      maxWorkers: cores,
      sequence: { groupOrder: 1 },
    },
  },
  { extends: true, test: { name: 'by-hand', include: BY_HAND, testTimeout: 600_000 } },
  {
    extends: true,
    test: {
      name: 'interop',
      include: INTEROP,
      globalSetup: 'test/interop/python-environment.ts',
      // Starting Python and setups of 40 s are most of the time, so files go side by side, however few the cores.
      maxWorkers: 6,
      // A model and several Pythons share the cores with each test.
      testTimeout: 240_000,
      hookTimeout: 180_000,
      sequence: { groupOrder: 2 },
    },
  },
];

export default defineConfig({
  // Tests and examples import the package by its name, as users do, and get the sources.
  ssr: { resolve: { conditions: ['tiltyard-source', 'node', 'import', 'default'] } },
  test: {
    projects,
    // The built command, which some tests run in their own process.
    server: { deps: { external: [/\/dist\//] } },
  },
});
