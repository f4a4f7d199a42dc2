// npm run wasm: makes src/core/quoting/escape-wasm.ts of the WebAssembly text beside it; with --check it only says whether the two agree.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src/core/quoting/escape.wat', import.meta.url));
const MADE = fileURLToPath(new URL('../src/core/quoting/escape-wasm.ts', import.meta.url));

const made = toModule(compile(SOURCE));
if (!process.argv.includes('--check')) writeFileSync(MADE, made);
else if (made !== readFileSync(MADE, 'utf8')) {
  process.stderr.write('escape-wasm.ts is not what escape.wat makes: run `npm run wasm`\n');
  process.exitCode = 1;
}

function compile(source) {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-wasm-'));
  try {
    const file = join(folder, 'made.wasm');
    const compiler = ['--yes', '--package=wabt@1.0.39', 'wat2wasm'];
    execFileSync('npx', [...compiler, source, '-o', file], { stdio: 'inherit' });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toModule(bytes) {
  const lines = bytes.toString('base64').match(/.{1,100}/g) ?? [];
  const quoted = lines.map((line) => `  '${line}',\n`).join('');
  return `// Made from escape.wat by \`npm run wasm\`.\n\n/** The module, in base64. */\nexport const ESCAPE_WASM: string = [\n${quoted}].join('');\n`;
}
