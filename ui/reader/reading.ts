import type { EndEvent, MessageEvent, NoteEvent, PromptEvent, RecordEvent } from '../../src/records/index.ts';
import { kindOf, type ShownStep } from '../steps/shown-step.ts';

/** A record as it is read: calls together with what came of them. */
export type Passage =
  | { readonly kind: 'prompt'; readonly n: number; readonly event: PromptEvent }
  | { readonly kind: 'message'; readonly n: number; readonly event: MessageEvent }
  | { readonly kind: 'step'; readonly n: number; readonly step: ShownStep }
  | { readonly kind: 'note'; readonly n: number; readonly event: NoteEvent }
  | { readonly kind: 'end'; readonly n: number; readonly event: EndEvent };

/** The passages of a record, in the order in which they began. */
export function toPassages(events: readonly RecordEvent[]): Passage[] {
  const results = new Map(events.flatMap((event) => (event.type === 'result' ? [[event.call, event] as const] : [])));
  let calls = 0;
  return events.flatMap((event): Passage[] => {
    const { n } = event;
    switch (event.type) {
      case 'prompt':
        return [{ kind: 'prompt', n, event }];
      case 'message':
        return [{ kind: 'message', n, event }];
      case 'note':
        return [{ kind: 'note', n, event }];
      case 'end':
        return [{ kind: 'end', n, event }];
      case 'call': {
        calls += 1;
        const result = results.get(n);
        const base = { key: String(n), number: calls, tool: event.tool, input: event.input, startedAt: event.at };
        if (result === undefined)
          return [{ kind: 'step', n, step: { ...base, status: 'running', ms: null, reward: null, finished: false } }];
        if (result.outcome === 'returned') {
          const { blocks, reward, finished, metadata, ms } = result;
          return [{ kind: 'step', n, step: { ...base, status: 'returned', ms, blocks, reward, finished, metadata } }];
        }
        const { ms, outcome, failure } = result;
        const problem = {
          kind: REFUSALS.has(failure.reason) ? ('refused' as const) : kindOf(outcome),
          message: failure.message,
          advice: null,
        };
        return [{ kind: 'step', n, step: { ...base, status: 'failed', ms, reward: null, finished: false, problem } }];
      }
      default:
        return [];
    }
  });
}

/** The steps of a record alone. */
export function stepsOf(passages: readonly Passage[]): ShownStep[] {
  return passages.flatMap((passage) => (passage.kind === 'step' ? [passage.step] : []));
}

const REFUSALS = new Set(['not_found', 'input_validation', 'episode_finished', 'refused']);
