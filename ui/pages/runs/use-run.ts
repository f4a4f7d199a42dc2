import type { RunDetail, RunHead } from '../../../src/studio/api.ts';
import { useStudio } from '../../app/studio.ts';
import { type Answer, useAnswer, useTopic } from '../../data/hooks.ts';
import { site } from '../../data/site.ts';

/** All runs: from the stream, or from the files of an exported site. */
export function useRuns(): Pick<Answer<readonly RunHead[]>, 'data' | 'error' | 'reload'> {
  const { runs } = useStudio();
  const asked = useAnswer(site === undefined ? null : 'GET /api/runs');
  return site === undefined ? { data: runs, error: undefined, reload: () => {} } : asked;
}

/** One run, while it is played as well. */
export function useRun(id: string): Answer<RunDetail> {
  const told = useTopic<RunDetail | null>(`run/${id}`, (before, event) => {
    if (event.type === 'gone') return null;
    return event.type === 'run' ? event.run : before;
  });
  // The stream says that a run is gone, but not why: the answer does.
  const isAsked = site !== undefined || told === null;
  const asked = useAnswer(isAsked ? 'GET /api/runs/:run' : null, { path: { run: id } });
  return told ? { ...asked, data: told, error: undefined, isLoading: false } : asked;
}
