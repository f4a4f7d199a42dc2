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
  const asked = useAnswer('GET /api/runs/:run', { path: { run: id } });
  const told = useTopic<RunDetail>(`run/${id}`, (before, event) => (event.type === 'run' ? event.run : before));
  return { ...asked, data: told ?? asked.data, error: told === undefined ? asked.error : undefined };
}
