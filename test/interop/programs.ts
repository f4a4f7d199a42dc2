import { readFile } from 'node:fs/promises';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { hello } from '../../examples/hello/environment.ts';
import type { RunFlow, Sdk } from './python.ts';

/** The Python program of a document must run as it is written, but for the address, and print what it should. */
export function testProgramOf(document: string, run: RunFlow, sdk: Sdk): void {
  test(`the Python program of ${document} runs as it is written`, async () => {
    const text = await readFile(new URL(`../../${document}`, import.meta.url), 'utf8');
    const [, program = ''] = /```python\n(.*?)```/s.exec(text) ?? [];
    await using server = await createServer({ environments: [hello], logger: false });
    const url = await server.listen();
    const source = program.replace('http://localhost:8080', url);
    const printed: string = await run('program', { sdk, mode: 'sync', url }, { source });
    expect(printed.trim().split('\n')).toEqual(['Greet Ada by name.', 'How kind! 1 True']);
  });
}
