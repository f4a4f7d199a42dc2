import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import type { SourceMapPayload } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CountedRange, linesThatRan } from './lines.ts';
import { type FunctionId, functionId } from './recorder.ts';

/** One file that a call crosses. */
export interface WalkedFile {
  /** From the root of the repository. */
  readonly path: string;
  /** The functions that run, in the order in which they are first entered. */
  readonly functions: readonly string[];
  /** The numbers of its lines that run. */
  readonly lines: readonly number[];
}

/** The files that a call crosses, in the order in which it first enters them. */
export interface Walk {
  readonly files: readonly WalkedFile[];
  /** How many lines of them run. */
  readonly lines: number;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The walk of a call, from what ran in each of several: what ran in only some of them was a timer's, and not the call's.
 */
export function toWalk(coverages: readonly Profiler.ScriptCoverage[][], order: readonly FunctionId[]): Walk {
  const [first = []] = coverages;
  const place = (id: FunctionId) => (order.includes(id) ? order.indexOf(id) : order.length);
  const files = first.flatMap((script) => {
    const same = coverages.map((each) => each.find(({ scriptId }) => scriptId === script.scriptId));
    const { path, lines } = readLines(script, same);
    if (lines.length === 0) return [];
    const functions = functionsOf(script)
      .map((each) => ({ name: each.functionName, at: place(functionId(script, each)) }))
      .sort((a, b) => a.at - b.at);
    const names = new Set(functions.map(({ name }) => name).filter(isName));
    return [{ path, functions: [...names], lines, at: functions[0]?.at ?? order.length }];
  });
  const inOrder = files.sort((a, b) => a.at - b.at).map(({ at: _, ...file }) => file);
  return { files: inOrder, lines: inOrder.reduce((sum, { lines }) => sum + lines.length, 0) };
}

// Not `<instance_members_initializer>`, nor a function without a name.
function isName(name: string): boolean {
  return name !== '' && !name.startsWith('<');
}

function functionsOf({ functions }: Profiler.ScriptCoverage): Profiler.FunctionCoverage[] {
  return functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
}

/** The source of a script, and which of its lines ran each time. */
function readLines({ url }: Profiler.ScriptCoverage, times: readonly (Profiler.ScriptCoverage | undefined)[]) {
  const script = readFileSync(new URL(url), 'utf8');
  const mapUrl = new URL(`${url}.map`);
  const map = JSON.parse(readFileSync(mapUrl, 'utf8')) as SourceMapPayload;
  const sourceUrl = new URL(map.sources[0] ?? '', mapUrl);
  const [some = new Set<number>(), ...others] = times.map((time) => linesThatRan({ script, map }, rangesOf(time)));
  const always = [...some].filter((line) => others.every((lines) => lines.has(line)));
  return { path: relative(ROOT, fileURLToPath(sourceUrl)), lines: always.sort((a, b) => a - b) };
}

function rangesOf(script: Profiler.ScriptCoverage | undefined): CountedRange[] {
  return script?.functions.flatMap(({ ranges }) => ranges) ?? [];
}
