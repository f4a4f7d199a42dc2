import { type ReactElement, useMemo, useState } from 'react';
import type { JsonObject } from '../../../src/protocol/index.ts';
import type { SplitInfo } from '../../../src/studio/api.ts';
import { goInstead, to, usePlace } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { plural } from '../../data/format.ts';
import { useAction } from '../../data/hooks.ts';
import { useRows } from '../../data/rows.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { Failed, Ghost, Loading } from '../../parts/states.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { beginPlay } from '../play/subject.ts';

const ROW = 34;

/** The tasks of a split; only those on the screen are loaded. */
export function TasksCard({
  target,
  environment,
  split,
}: {
  readonly target: string;
  readonly environment: string;
  readonly split: SplitInfo;
}): ReactElement {
  const { query } = usePlace();
  const tasks = useRows<JsonObject>(`${target} ${environment} ${split.name}`, async (start, stop, signal) => {
    const page = await ask('GET /api/targets/:target/environments/:environment/tasks', {
      path: { target, environment },
      query: { split: split.name, start, stop },
      signal,
    });
    return { rows: page.tasks, total: page.total ?? split.count ?? page.start + page.tasks.length };
  });
  const [text, setText] = useState('');
  const found = useFound(tasks.loaded, text);
  const opened = toIndex(query.get('task'));
  const [active, setActive] = useState<number | undefined>(opened);
  const open = (index: number) =>
    goInstead(
      to(['environments', target, environment], { split: split.name, task: index === opened ? undefined : index }),
    );
  const begin = useAction((index: number) =>
    beginPlay({ target, subject: { kind: 'episode', environment, choice: { split: split.name, index } } }),
  );
  const count = found?.length ?? tasks.total ?? 0;
  const task = opened === undefined ? undefined : tasks.row(opened);
  const render = (at: number) => {
    const index = found?.[at] ?? at;
    return (
      <Row
        key={index}
        index={index}
        task={tasks.row(index)}
        state={index === opened ? 'open' : at === active ? 'active' : 'closed'}
        onOpen={() => open(index)}
        onPlay={() => begin.run(index)}
      />
    );
  };
  return (
    <Card
      title="Tasks"
      flush
      side={
        <>
          <input
            type="search"
            className="search"
            aria-label="Search in the loaded tasks"
            placeholder="Search what is loaded"
            value={text}
            onChange={({ target: { value } }) => setText(value)}
          />
          <button
            type="button"
            className="primary"
            disabled={begin.isRunning || tasks.total === 0}
            onClick={() => begin.run(opened ?? 0)}
          >
            Play task {opened ?? 0}
          </button>
        </>
      }
    >
      {tasks.error !== undefined && <Failed error={tasks.error} onRetry={tasks.reload} />}
      {begin.error !== undefined && <Failed error={begin.error} />}
      {tasks.total === undefined && tasks.error === undefined && <Loading lines={8} />}
      {found !== undefined && (
        <p className="found" role="status">
          {plural(found.length, 'match', 'matches')} in {plural(loadedCount(tasks.loaded), 'loaded task')}. Scroll to
          load more.
        </p>
      )}
      {opened !== undefined && (
        <div className="opened">
          <div className="bar">
            <h3>Task {opened}</h3>
            <span className="grow" />
            <button type="button" className="quiet" onClick={() => open(opened)}>
              Close
            </button>
          </div>
          {task === undefined ? <Loading lines={3} /> : <JsonTree value={task} open={3} />}
        </div>
      )}
      {tasks.total === 0 ? (
        <p className="none-yet">This split has no tasks.</p>
      ) : (
        <VirtualList
          count={count}
          rowHeight={ROW}
          label={`Tasks of ${split.name}`}
          render={render}
          onVisible={found === undefined ? tasks.see : undefined}
          active={active}
          onActive={setActive}
          onOpen={(at) => open(found?.[at] ?? at)}
        />
      )}
    </Card>
  );
}

interface RowProps {
  readonly index: number;
  readonly task: JsonObject | undefined;
  readonly state: 'closed' | 'active' | 'open';
  readonly onOpen: () => void;
  readonly onPlay: () => void;
}

function Row({ index, task, state, onOpen, onPlay }: RowProps): ReactElement {
  return (
    <div className={`row task ${state}`}>
      <span className="mono index">{index}</span>
      <button type="button" className="title" aria-expanded={state === 'open'} onClick={onOpen}>
        {task === undefined ? <Ghost /> : <bdi>{toSafeText(shortOf(task))}</bdi>}
      </button>
      <button type="button" className="quiet" onClick={onPlay} aria-label={`Play task ${index}`}>
        Play
      </button>
    </div>
  );
}

/** The places of loaded tasks that contain a text; undefined without a text. */
function useFound(loaded: ReadonlyMap<number, readonly JsonObject[]>, text: string): readonly number[] | undefined {
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return undefined;
    return [...loaded]
      .flatMap(([page, tasks]) => tasks.map((task, at) => ({ index: page * 100 + at, task })))
      .filter(({ index, task }) => String(index) === wanted || JSON.stringify(task).toLowerCase().includes(wanted))
      .map(({ index }) => index)
      .sort((one, other) => one - other);
  }, [loaded, text]);
}

function loadedCount(loaded: ReadonlyMap<number, readonly JsonObject[]>): number {
  return [...loaded.values()].reduce((sum, { length }) => sum + length, 0);
}

/** A task on one line: its longest text says most. */
function shortOf(task: JsonObject): string {
  const texts = Object.values(task).filter((value) => typeof value === 'string');
  const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), '');
  return (longest.length > 12 ? longest : JSON.stringify(task)).slice(0, 300).replace(/\s+/g, ' ');
}

function toIndex(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
