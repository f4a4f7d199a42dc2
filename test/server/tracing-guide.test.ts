import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { run, untilPrinted } from '../support/command.ts';
import { readText } from '../support/documents.ts';
import { client } from '../support/http.ts';
import { startOtlp } from '../support/otlp.ts';

const GUIDE = 'test/server/tracing-guide.mjs';

test('docs/observability.md shows the guide, word for word', () => {
  expect(readText('docs/observability.md')).toContain(`\`\`\`js\n${readText(GUIDE)}\`\`\``);
});

test('the command traces when it is started as the guide says, and sends all it has before it ends', async () => {
  const receiver = await startOtlp();
  onTestFinished(() => receiver.close());
  const serving = run(['serve', 'examples/hello/environment.ts', '--port', '0'], {
    NODE_OPTIONS: `--import ${fileURLToPath(new URL(`../../${GUIDE}`, import.meta.url))}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url.replace('/v1/traces', ''),
  });
  const [url] = await untilPrinted(serving, /http:\/\/localhost:\d+/);
  const { create } = client(url);
  await create();
  serving.child.kill('SIGTERM');
  await serving.exit;
  await eventually(() => expect(receiver.spans.map(({ name }) => name)).toContain('session hello'));
});
