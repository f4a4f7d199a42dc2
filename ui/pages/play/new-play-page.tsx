import { type ReactElement, useState } from 'react';
import type { EnvironmentInfo, PlayHead, PlaySubject, Target } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { useStudio } from '../../app/studio.ts';
import { ask } from '../../data/ask.ts';
import { formatTime, plural } from '../../data/format.ts';
import { useAction, useAnswer } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { JsonEditor, readObject } from '../../forms/json-editor.tsx';
import { type SecretRow, SecretsField, toSecrets } from '../../forms/secrets-field.tsx';
import { Card } from '../../parts/card.tsx';
import { PageAlone } from '../../parts/page-wait.tsx';
import { Reward } from '../../parts/reward.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { beginPlay, taskOf, titleOf } from './subject.ts';

/** Begins an episode, and leads back to those that were begun. */
export function NewPlayPage({ query }: { readonly query: URLSearchParams }): ReactElement {
  const { targets, plays } = useStudio();
  const [chosen, setChosen] = useState(query.get('target') ?? undefined);
  const target = targets.find(({ id }) => id === chosen) ?? targets[0];
  useTitle('Play');
  if (target === undefined)
    return (
      <PageAlone title="Play">
        <Empty title="There is no server to play on">
          <p>
            Add one on the page <a href={to(['environments'])}>Environments</a>, or name it on the command line:{' '}
            <code>tiltyard studio http://localhost:8080</code>
          </p>
        </Empty>
      </PageAlone>
    );
  return (
    <>
      <div className="bar">
        <h1>Play</h1>
      </div>
      <div className="halves">
        <Card title="New episode">
          {targets.length > 1 && (
            <label className="field">
              <b>Server</b>
              <select value={target.id} onChange={({ target: { value } }) => setChosen(value)}>
                {targets.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {toSafeText(name)}
                  </option>
                ))}
              </select>
            </label>
          )}
          <ChooseSubject key={target.id} target={target} query={query} />
        </Card>
        <PlaysCard plays={plays} />
      </div>
    </>
  );
}

function ChooseSubject({ target, query }: { readonly target: Target; readonly query: URLSearchParams }): ReactElement {
  const path = { target: target.id };
  const environments = useAnswer('GET /api/targets/:target/environments', { path });
  const [chosen, setChosen] = useState(query.get('environment') ?? undefined);
  const name = chosen ?? environments.data?.[0];
  const begin = useAction(beginPlay);
  const playTools = () => begin.run({ target: target.id, subject: { kind: 'tools' } });
  if (environments.error !== undefined) return <Failed error={environments.error} onRetry={environments.reload} />;
  if (environments.data === undefined) return <Loading lines={5} />;
  return (
    <>
      {name === undefined ? (
        <p className="soft">This server has no environments.</p>
      ) : (
        <>
          <label className="field">
            <b>Environment</b>
            <select value={name} onChange={({ target: { value } }) => setChosen(value)}>
              {environments.data.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <ChooseTask key={name} target={target.id} environment={name} query={query} />
        </>
      )}
      {target.protocols.includes('oxp') && (
        <div className="or">
          <button type="button" disabled={begin.isRunning} onClick={playTools}>
            Call tools outside of episodes
          </button>
        </div>
      )}
      {begin.error !== undefined && <Failed error={begin.error} />}
    </>
  );
}

function ChooseTask({
  target,
  environment,
  query,
}: {
  readonly target: string;
  readonly environment: string;
  readonly query: URLSearchParams;
}): ReactElement {
  const { data, error, reload } = useAnswer('GET /api/targets/:target/environments/:environment', {
    path: { target, environment },
  });
  const [split, setSplit] = useState(query.get('split') ?? undefined);
  const [index, setIndex] = useState(query.get('index') ?? '0');
  const [own, setOwn] = useState(query.get('task') ?? undefined);
  const [typed, setTyped] = useState<readonly SecretRow[] | undefined>();
  const begin = useAction(beginPlay);
  const chosen = data?.splits.find(({ name }) => name === split) ?? data?.splits[0];
  const choice = toChoice(own, chosen, index);
  const edit = useAction(async () => {
    if (chosen === undefined) return setOwn('{}');
    const start = Number(index) || 0;
    const page = await ask('GET /api/targets/:target/environments/:environment/tasks', {
      path: { target, environment },
      query: { split: chosen.name, start, stop: start + 1 },
    });
    setOwn(JSON.stringify(page.tasks[0] ?? {}, null, 2));
  });
  if (error !== undefined) return <Failed error={error} onRetry={reload} />;
  if (data === undefined) return <Loading lines={4} />;
  const secrets = typed ?? data.secrets.map((name) => ({ name, value: '' }));
  const start = () => {
    if (choice.value === undefined) return;
    const subject: PlaySubject = { kind: 'episode', environment, choice: choice.value };
    begin.run({ target, subject, ...toSecrets(secrets) });
  };
  return (
    <>
      {own === undefined ? (
        <div className="pair-of-fields">
          <label className="field">
            <b>Split</b>
            <select value={chosen?.name ?? ''} onChange={({ target: { value } }) => setSplit(value)}>
              {data.splits.map(({ name, count }) => (
                <option key={name} value={name}>
                  {toSafeText(name)} {count === null ? '' : `(${plural(count, 'task')})`}
                </option>
              ))}
            </select>
          </label>
          <label className="field">
            <span>
              <b>Task</b> {typeof chosen?.count === 'number' && chosen.count > 0 && ` · 0 to ${chosen.count - 1}`}
            </span>
            <input
              type="number"
              min={0}
              max={chosen?.count ? chosen.count - 1 : undefined}
              value={index}
              onChange={({ target: { value } }) => setIndex(value)}
            />
          </label>
        </div>
      ) : (
        <JsonEditor
          text={own}
          label="Your own task as JSON"
          errors={choice.problem === undefined ? [] : [{ path: '', message: choice.problem }]}
          onChange={setOwn}
        />
      )}
      <button type="button" className="quiet" onClick={() => (own === undefined ? edit.run() : setOwn(undefined))}>
        {own === undefined ? 'Edit the task' : 'Choose a task of a split instead'}
      </button>
      <SecretsField rows={secrets} required={data.secrets} onChange={setTyped} />
      {[edit.error, begin.error].map((each) => each !== undefined && <Failed key={String(each)} error={each} />)}
      <button
        type="button"
        className="primary wide"
        disabled={choice.value === undefined || begin.isRunning}
        onClick={start}
      >
        {begin.isRunning ? 'Starting' : `Play ${toSafeText(environment)}`}
      </button>
    </>
  );
}

type Choice = Extract<PlaySubject, { kind: 'episode' }>['choice'];

function toChoice(
  own: string | undefined,
  split: EnvironmentInfo['splits'][number] | undefined,
  index: string,
): { readonly value?: Choice; readonly problem?: string } {
  if (own !== undefined) {
    const { value, problem } = readObject(own);
    return value === undefined ? { problem: problem ?? '' } : { value: { task: value } };
  }
  const at = Number(index);
  if (split === undefined || index.trim() === '' || !Number.isInteger(at) || at < 0) return {};
  return { value: { split: split.name, index: at } };
}

function PlaysCard({ plays }: { readonly plays: readonly PlayHead[] }): ReactElement {
  return (
    <Card
      title="Begun"
      side={plays.length > 0 && <span className="pill">{plural(plays.length, 'episode')}</span>}
      flush
    >
      {plays.length === 0 ? (
        <p className="none-yet">Nothing was played yet. Episodes that you begin stand here until the studio stops.</p>
      ) : (
        <ul className="plays">
          {[...plays].reverse().map((play) => (
            <li key={play.id}>
              <a href={to(['play', play.id])}>
                <b>{toSafeText(titleOf(play.subject))}</b>
                <span className="soft">
                  {' '}
                  {toSafeText(taskOf(play.subject))} ·{' '}
                  {play.parent === null ? play.id : `${play.id}, branch of ${play.parent.play}`} ·{' '}
                  {plural(play.stepCount, 'step')} · {play.status}
                </span>
              </a>
              <span className="soft small">{formatTime(play.createdAt).slice(11)}</span>
              <Reward value={play.total} />
              <Forget play={play.id} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Forget({ play }: { readonly play: string }): ReactElement {
  const forget = useAction(() => ask('DELETE /api/plays/:play', { path: { play } }));
  return (
    <button
      type="button"
      className="quiet"
      disabled={forget.isRunning}
      onClick={forget.run}
      aria-label={`Forget ${play}`}
    >
      ✕
    </button>
  );
}
