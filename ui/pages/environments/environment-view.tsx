import type { ReactElement } from 'react';
import type { EnvironmentInfo } from '../../../src/studio/api.ts';
import { goInstead, to, usePlace } from '../../app/route.ts';
import { useAnswer } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { TasksCard } from './tasks-card.tsx';
import { ToolsList } from './tools-list.tsx';

/** An environment: its splits with their tasks, and its tools. */
export function EnvironmentView({
  target,
  environment,
}: {
  readonly target: string;
  readonly environment: string;
}): ReactElement {
  const { data, error, reload } = useAnswer('GET /api/targets/:target/environments/:environment', {
    path: { target, environment },
  });
  if (error !== undefined) return <Failed error={error} onRetry={reload} />;
  if (data === undefined) return <Loading lines={8} />;
  return <Environment target={target} info={data} />;
}

function Environment({ target, info }: { readonly target: string; readonly info: EnvironmentInfo }): ReactElement {
  const { query } = usePlace();
  const split = info.splits.find(({ name }) => name === query.get('split')) ?? info.splits[0];
  const choose = (name: string) => goInstead(to(['environments', target, info.name], { split: name }));
  return (
    <div className="environment-page">
      <div className="column">
        {info.splits.length === 0 && <Empty title="This environment has no splits" />}
        {info.splits.length > 0 && (
          <div className="splits" role="group" aria-label="Splits">
            {info.splits.map(({ name, type, count }) => (
              <button
                key={name}
                type="button"
                className="split"
                aria-pressed={name === split?.name}
                onClick={() => choose(name)}
              >
                <b>{toSafeText(name)}</b>
                <span className="figure">{count === null ? '?' : count.toLocaleString('en-US')}</span>
                <span className="soft">
                  {count === 1 ? 'task' : 'tasks'}
                  {type === name ? '' : ` · ${type}`}
                </span>
              </button>
            ))}
          </div>
        )}
        {split !== undefined && <TasksCard key={split.name} target={target} environment={info.name} split={split} />}
      </div>
      <aside className="column" aria-label="Tools">
        <Card title="Tools" side={<span className="pill">{info.tools.length}</span>} flush>
          <ToolsList
            tools={info.tools.map(({ name, description, input_schema }) => ({
              name,
              description,
              input: input_schema,
            }))}
          />
        </Card>
      </aside>
    </div>
  );
}
