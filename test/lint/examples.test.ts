import type { Environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { lintEnvironment } from 'tiltyard/testing';
import { expect, onTestFinished, test } from 'vitest';
import { gridworld } from '../../examples/gridworld/environment.ts';
import { gsm8k } from '../../examples/gsm8k/environment.ts';
import { hello } from '../../examples/hello/environment.ts';
import { sandbox } from '../../examples/sandbox/environment.ts';
import { sums } from '../../examples/toolkit/environment.ts';
import { lintRules } from '../../src/checking/lint/lint.ts';

// What the lint cannot find out about an example, by its name.
const UNSEEN: readonly (readonly [Environment, readonly string[]])[] = [
  [hello, ['env/split-overlap', 'env/snapshot']],
  [gsm8k, ['env/snapshot']],
  [gridworld, ['env/paid-twice', 'env/snapshot']],
  [sandbox, ['env/never-ends', 'env/never-pays', 'env/paid-twice', 'env/replay', 'env/snapshot']],
  [sums, ['env/split-overlap', 'env/snapshot']],
];

test.each(UNSEEN)(
  'the example $name passes the lint',
  async (environment, unseen) => {
    const server = await createServer({ environments: [environment], logger: false });
    onTestFinished(() => server.close());
    const findings = await lintEnvironment({
      url: await server.listen(),
      definitions: [environment],
      isActive: true,
      samples: 3,
      takeIncidents: () => ({ strayErrors: [], processEnds: [] }),
    });
    expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(findings.flatMap(({ id, verdict }) => (verdict === 'skip' ? [id] : []))).toEqual(unseen);
    expect(findings.map(({ id }) => id)).toEqual(lintRules.map(({ id }) => id));
  },
  60_000,
);
