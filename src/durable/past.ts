import type { WireBlock } from '../protocol/index.ts';
import { type CallEnding, type Past, type PastStep, type RecalledCall, toldDigest } from '../sessions/index.ts';
import { hasRun } from './end-record.ts';
import type { BeginRecord, CreateRecord, EndRecord, ServerRecord } from './records.ts';

/** What the records of an episode say together. */
export interface Recollection {
  readonly past: Past;
  readonly prompt: WireBlock[] | undefined;
  /** The calls that have ended, in that order. */
  readonly ended: readonly EndRecord[];
  /** Those that began, and of which it is not known how they ended. */
  readonly unfinished: readonly BeginRecord[];
  /** Why it cannot be built again, if it cannot. */
  readonly tainted: string | undefined;
}

/** Reads the records of an episode. */
export function recollect(records: readonly ServerRecord[]): Recollection {
  const steps: PastStep[] = [];
  const ended: EndRecord[] = [];
  const unfinished = new Map<string, BeginRecord>();
  let [create, prompt, saved, tainted]: [CreateRecord?, WireBlock[]?, string?, string?] = [];
  for (const record of records) {
    saved = record.saved ?? saved;
    switch (record.type) {
      case 'create':
        create = record;
        break;
      case 'prompt':
        prompt = JSON.parse(record.json);
        steps.push({ kind: 'prompt', told: toldDigest(JSON.parse(record.json)) });
        break;
      case 'begin':
        unfinished.set(record.call.id, record);
        break;
      case 'end':
        unfinished.delete(record.call.id);
        ended.push(record);
        tainted ??= record.tainted;
        if (record.ending === undefined || hasRun(record.ending)) steps.push(toStep(record));
    }
  }
  const finished = ended.some((record) => record.finished);
  const past = { taskDigest: create?.start?.taskDigest, steps, saved, finished };
  return { past, prompt, ended, unfinished: [...unfinished.values()], tainted };
}

function toStep({ call: { id, attempt, tool: name, input }, ending, told }: EndRecord): PastStep {
  const digest = ending === undefined ? (told ?? '') : toldDigest(ending);
  return { kind: 'call', id, attempt, name, input: JSON.parse(input), told: digest };
}

/** A call of an earlier server, as its session takes it over. */
export function toRecalledCall({
  call: { id, tool, input },
  ending,
  durationMs,
  reward,
  finished,
}: EndRecord): RecalledCall {
  return { id, tool, input: JSON.parse(input), ending: ending as CallEnding, durationMs, reward, finished };
}
