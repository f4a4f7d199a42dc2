import type { ReactElement } from 'react';
import type { ToolDefinition } from '../../../src/protocol/index.ts';
import { plural } from '../../data/format.ts';
import { useAction, useAnswer } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { beginPlay } from '../play/subject.ts';
import { type ListedTool, ToolsList } from './tools-list.tsx';

/** The toolkits of a server, with all versions of their tools. */
export function ToolkitsView({ target }: { readonly target: string }): ReactElement {
  const { data, error, reload } = useAnswer('GET /api/targets/:target/toolkits', { path: { target } });
  const begin = useAction(() => beginPlay({ target, subject: { kind: 'tools' } }));
  if (error !== undefined) return <Failed error={error} onRetry={reload} />;
  if (data === undefined) return <Loading lines={6} />;
  if (data.length === 0) return <Empty title="This server has no toolkits" />;
  return (
    <>
      <div className="bar">
        <p className="soft">Tools that are called one by one, outside of episodes.</p>
        <span className="grow" />
        <button type="button" className="primary" disabled={begin.isRunning} onClick={begin.run}>
          Call them
        </button>
      </div>
      {begin.error !== undefined && <Failed error={begin.error} />}
      <div className="grid-of-cards">
        {data.map(({ name, tools }) => (
          <Card
            key={name}
            title={toSafeText(name)}
            side={<span className="pill">{plural(tools.length, 'tool')}</span>}
            flush
          >
            <ToolsList tools={tools.map(toListed)} />
          </Card>
        ))}
      </div>
    </>
  );
}

function toListed({ id, description, version, input_schema, output_schema, requirements }: ToolDefinition): ListedTool {
  return {
    name: id.replace(/@[^@]*$/, ''),
    version,
    description,
    input: input_schema,
    output: output_schema,
    needs: Object.keys(requirements ?? {}).map((need) => `needs ${need.replaceAll('_', ' ')}`),
  };
}
