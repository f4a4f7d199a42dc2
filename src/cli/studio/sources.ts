import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import { findRecords } from '../../records/index.ts';
import { RUN_FILES } from '../../rollouts/index.ts';
import type { BenchReport } from '../../studio/index.ts';
import { misuse } from '../shared/failure.ts';
import { toUrl } from '../shared/target.ts';

/** What a person named, by what it is. */
export interface Sources {
  /** URLs and modules. */
  readonly targets: readonly string[];
  /** Folders of runs, or with runs in them. */
  readonly runs: readonly string[];
  readonly records: readonly string[];
  readonly reports: readonly BenchReport[];
}

type Source =
  | { readonly kind: 'targets' | 'runs' | 'records'; readonly value: string }
  | { readonly kind: 'reports'; readonly value: BenchReport };

/** Sorts what a person named; with nothing named, the runs in ./runs are shown if there are any. */
export function toSources(named: readonly string[]): Sources {
  const sources = named.map(toSource);
  const of = (kind: 'targets' | 'runs' | 'records') =>
    sources.flatMap((source) => (source.kind === kind ? [source.value] : []));
  const isBare = named.length === 0 && existsSync('runs');
  return {
    targets: of('targets'),
    runs: isBare ? ['runs'] : of('runs'),
    records: of('records'),
    reports: sources.flatMap((source) => (source.kind === 'reports' ? [source.value] : [])),
  };
}

function toSource(text: string): Source {
  if (toUrl(text) !== undefined) return { kind: 'targets', value: text };
  const stat = statSync(text, { throwIfNoEntry: false });
  if (stat === undefined)
    throw misuse(`${text} does not exist. Name a URL, a module, the folder of a run, or a record`);
  if (stat.isDirectory()) return { kind: kindOfFolder(text), value: text };
  if (extname(text) === '.jsonl') return { kind: 'records', value: text };
  return extname(text) === '.json' ? fromJson(text) : { kind: 'targets', value: text };
}

function kindOfFolder(folder: string): 'runs' | 'records' {
  const names = readdirSync(folder);
  const isRun = (path: string) => existsSync(join(path, RUN_FILES.run));
  if (isRun(folder) || names.some((name) => isRun(join(folder, name)))) return 'runs';
  if (findRecords(folder).length > 0) return 'records';
  throw misuse(`${folder} has neither a run (${RUN_FILES.run}) nor runs nor records (*.jsonl) in it`);
}

function fromJson(path: string): Source {
  const report = parse(path);
  // Games of earlier versions are JSON as well.
  if (report !== undefined && !('servers' in report)) return { kind: 'records', value: path };
  if (report === undefined) throw misuse(`${path} is neither a record nor a report of tiltyard bench --json`);
  return { kind: 'reports', value: { name: basename(path), report } };
}

function parse(path: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(value) && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined; // The caller says what it should be.
  }
}
