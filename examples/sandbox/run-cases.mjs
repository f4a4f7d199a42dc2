// Runs in a process of its own, in the agent's directory: calls the agent's function once for each list of arguments
// that comes in, and writes what it returns to file descriptor 3, one line each. It knows no expected result.
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const RESULTS = 3;
const { functionName, argumentLists } = JSON.parse(readFileSync(0, 'utf8'));
const solution = await import(pathToFileURL(join(process.cwd(), 'solution.mjs')).href);

for (const [index, args] of argumentLists.entries()) {
  try {
    const value = await solution[functionName](...args);
    writeSync(RESULTS, `${JSON.stringify({ index, value })}\n`);
  } catch {
    // A case that throws has no result, and fails for that reason; the next one may still pass.
  }
}
// A solution that left a timer running must not keep the agent waiting.
process.exit();
