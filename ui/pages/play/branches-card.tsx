import type { ReactElement } from 'react';
import type { PlayHead } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { useStudio } from '../../app/studio.ts';
import { plural } from '../../data/format.ts';
import { Card } from '../../parts/card.tsx';
import { Reward } from '../../parts/reward.tsx';
import { toBranchTree } from './branch-tree.ts';

/** The branches of an episode as a tree, and the way to compare two of them. */
export function BranchesCard({
  id,
  compared,
}: {
  readonly id: string;
  readonly compared: string | undefined;
}): ReactElement | null {
  const { plays } = useStudio();
  const tree = toBranchTree(plays, id);
  if (tree.length < 2) return null;
  return (
    <Card title="Branches" side={<span className="pill">{plural(tree.length, 'branch', 'branches')}</span>} flush>
      <ul className="branches">
        {tree.map(({ play, depth }) => (
          <li
            key={play.id}
            className={`depth-${Math.min(depth, 6)}`}
            aria-current={play.id === id ? 'true' : undefined}
          >
            <a href={to(['play', play.id])}>
              {depth > 0 && <span aria-hidden="true">└ </span>}
              <b>{play.id}</b> <span className="soft">{aboutOf(play)}</span>
              {play.divergences > 0 && <span className="tag warn">≠ {play.divergences}</span>}
            </a>
            <Reward value={play.total} />
            {play.id === id ? (
              <span className="soft small">here</span>
            ) : (
              <a
                className="small"
                aria-label={play.id === compared ? `stop comparing with ${play.id}` : `Compare with ${play.id}`}
                href={to(['play', id], { with: play.id === compared ? undefined : play.id })}
              >
                {play.id === compared ? 'stop' : 'compare'}
              </a>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function aboutOf({ parent, stepCount, status }: PlayHead): string {
  const from = parent === null ? '' : `from step ${parent.keep} · `;
  return `${from}${plural(stepCount, 'step')}${status === 'finished' ? ' · finished' : ''}`;
}
