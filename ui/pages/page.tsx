import type { ReactElement } from 'react';
import { to, usePlace } from '../app/route.ts';
import { PageAlone } from '../parts/page-wait.tsx';
import { Empty } from '../parts/states.tsx';
import { ChecksPage } from './checks/checks-page.tsx';
import { JobPage } from './checks/job-page.tsx';
import { EnvironmentsPage } from './environments/environments-page.tsx';
import { LivePage } from './live/live-page.tsx';
import { NewPlayPage } from './play/new-play-page.tsx';
import { PlayPage } from './play/play-page.tsx';
import { RecordPage } from './records/record-page.tsx';
import { RecordsPage } from './records/records-page.tsx';
import { ComparePage } from './runs/compare-page.tsx';
import { EpisodePage } from './runs/episode-page.tsx';
import { RunPage } from './runs/run-page.tsx';
import { RunsPage } from './runs/runs-page.tsx';

/** The page of an address. */
export function Page(): ReactElement {
  const { path, query } = usePlace();
  const [name, first, second, third] = path;
  switch (name) {
    case 'environments':
      return <EnvironmentsPage target={first} environment={second} />;
    case 'play':
      return first === undefined ? (
        <NewPlayPage key={String(query)} query={query} />
      ) : (
        <PlayPage key={first} id={first} />
      );
    case 'live':
      return <LivePage target={first} sid={second} />;
    case 'runs':
      if (first === undefined) return <RunsPage />;
      if (second === 'episodes' && third !== undefined) return <EpisodePage run={first} episode={third} />;
      if (second === 'compare' && third !== undefined) return <ComparePage first={first} second={third} />;
      return <RunPage key={first} id={first} />;
    case 'records':
      return first === undefined ? <RecordsPage /> : <RecordPage id={first} />;
    case 'checks':
      return first === undefined ? <ChecksPage /> : <JobPage key={first} id={first} />;
    default:
      return (
        <PageAlone title="Studio">
          <Empty title="There is no such page">
            <a href={to(['environments'])}>Go to the environments</a>
          </Empty>
        </PageAlone>
      );
  }
}
