import { environment, text } from 'tiltyard';
import { expect, test } from 'vitest';
import { catalog, ToolError } from '../../core/index.ts';
import { LocalHost } from '../host.ts';
import { DEFAULT_SESSION_OPTIONS } from '../options.ts';

// Otherwise each of those who wait for a large result would hold a copy of it.
test('E7: what is kept of a call can be sent as it is, to however many', async () => {
  const breaks = 'a\u0085b\u2028c\u2029d';
  const odd = environment({
    name: 'odd',
    splits: { train: [{}] },
    prompt: () => 'Break lines.',
    tools: {
      say: { run: () => text(breaks) },
      fail: {
        run() {
          throw new ToolError(breaks);
        },
      },
    },
  });
  const host = new LocalHost(catalog([odd]), DEFAULT_SESSION_OPTIONS);
  await host.create('s', { choice: { task: {} }, secrets: {} });
  await host.prompt('s');
  for (const name of ['say', 'fail']) {
    const { ending } = host.call('s', { name, input: {}, bytes: 2 });
    expect(ending).toMatchObject({ kind: 'result', json: expect.stringContaining('a\\u0085b\\u2028c\\u2029d') });
  }
  await host.close();
});
