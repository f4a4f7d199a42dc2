import { createContext, useContext } from 'react';
import type { JobHead, PlayHead, RunHead, StudioInfo, Target } from '../../src/studio/api.ts';
import { useTopic } from '../data/hooks.ts';

/** What all pages know: kept up to date by the stream. */
export interface Studio {
  readonly info: StudioInfo;
  readonly targets: readonly Target[];
  readonly plays: readonly PlayHead[];
  readonly runs: readonly RunHead[] | undefined;
  readonly jobs: readonly JobHead[];
}

/** Where pages find it. */
export const StudioContext = createContext<Studio | undefined>(undefined);

/** What all pages know. */
export function useStudio(): Studio {
  const studio = useContext(StudioContext);
  if (studio === undefined) throw new Error('a page is shown outside of the studio');
  return studio;
}

/** Listens to what all pages know. */
export function useStudioState(info: StudioInfo): Studio {
  const targets = useTopic<readonly Target[]>('targets', (before, event) =>
    event.type === 'targets' ? event.targets : before,
  );
  const plays = useTopic<readonly PlayHead[]>('plays', (before, event) =>
    event.type === 'plays' ? event.plays : before,
  );
  const runs = useTopic<readonly RunHead[]>('runs', (before, event) => (event.type === 'runs' ? event.runs : before));
  const jobs = useTopic<readonly JobHead[]>('jobs', (before, event) => (event.type === 'jobs' ? event.jobs : before));
  return { info, targets: targets ?? info.targets, plays: plays ?? [], runs, jobs: jobs ?? [] };
}
