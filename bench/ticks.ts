// What a tick of Node costs after garbage was collected while none waited, in ns: with one that is kept, as servers keep it, and without.
// Each is measured in processes of its own, in turns. See docs/decisions/0047-shape-of-ticks.md.
// Run: node --import tsx bench/ticks.ts
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keepTickShape } from '../src/core/tick-shape.ts';

const ROUNDS = 5;
const TICKS = 50_000;
const COLLECTIONS = 8;

const [way] = process.argv.slice(2);
if (way === undefined) compare();
else process.stdout.write(`${await nanosecondsPerTick(way === 'kept')}`);

function compare(): void {
  const found = { kept: [] as number[], forgotten: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const way of ['kept', 'forgotten'] as const) {
      const args = ['--expose-gc', '--import', 'tsx', fileURLToPath(import.meta.url), way];
      found[way].push(Number(execFileSync(process.execPath, args, { encoding: 'utf8' })));
    }
  const [kept, forgotten] = [medianOf(found.kept), medianOf(found.forgotten)];
  process.stdout.write(
    `kept ${kept.toFixed(0)} ns, forgotten ${forgotten.toFixed(0)} ns: ${(forgotten / kept).toFixed(1)}x\n`,
  );
}

async function nanosecondsPerTick(isKept: boolean): Promise<number> {
  if (isKept) keepTickShape();
  await ticks(50);
  for (let count = 0; count < COLLECTIONS; count += 1) {
    await sleep(5);
    globalThis.gc?.();
  }
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = process.hrtime.bigint();
    await ticks(TICKS);
    times.push(Number(process.hrtime.bigint() - begun) / TICKS);
  }
  return Math.min(...times);
}

/** So many ticks, one after the other. */
function ticks(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const tick = () => {
      left -= 1;
      if (left === 0) resolve();
      else process.nextTick(tick);
    };
    process.nextTick(tick);
  });
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
