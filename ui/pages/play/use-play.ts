import type { Play, StreamEvent } from '../../../src/studio/api.ts';
import { useTopic } from '../../data/hooks.ts';

/** A play as the stream tells it; null if the studio does not know it. */
export function usePlay(id: string | null): Play | null | undefined {
  return useTopic<Play | null>(id === null ? null : `play/${id}`, reducePlay);
}

/** A play after an event. */
function reducePlay(before: Play | null | undefined, event: StreamEvent): Play | null | undefined {
  if (event.type === 'gone') return null;
  if (event.type === 'play') return event.play;
  if (event.type !== 'step' || !before) return before;
  const { step, head } = event;
  const steps = [...before.steps];
  steps[step.n] = step;
  return { ...before, ...head, steps };
}
