import { millisecondsJson } from '../protocol/index.ts';
import type { EndRecord, ServerRecord } from './records.ts';

/** The JSON of a record without the state that it saved. What most records are is put together by hand, in half the time. */
export function recordJson(record: ServerRecord): string {
  const isPlain = record.type === 'end' && record.ending?.kind === 'returned' && record.tainted === undefined;
  if (isPlain) return returnedJson(record, record.ending.json);
  return JSON.stringify(record.saved === undefined ? record : { ...record, saved: undefined });
}

function returnedJson({ at, call, durationMs, reward, finished }: EndRecord, json: string): string {
  const { id, tool, input, attempt } = call;
  const called = `{"id":${JSON.stringify(id)},"tool":${JSON.stringify(tool)},"input":${JSON.stringify(input)},"attempt":${attempt}}`;
  const ending = `{"kind":"returned","json":${JSON.stringify(json)}}`;
  return `{"type":"end","at":${at},"call":${called},"ending":${ending},"durationMs":${millisecondsJson(durationMs)},"reward":${JSON.stringify(reward)},"finished":${finished}}`;
}
