import { type ReactElement, useMemo, useState } from 'react';
import type { Play } from '../../../src/studio/api.ts';
import { useKeys } from '../../app/keys.ts';
import { goInstead, to, usePlace } from '../../app/route.ts';
import { useStudio } from '../../app/studio.ts';
import { ask } from '../../data/ask.ts';
import { useAction } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Card } from '../../parts/card.tsx';
import { PageAlone, PageWait } from '../../parts/page-wait.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { RewardChart } from '../../steps/reward-chart.tsx';
import { fromPlay } from '../../steps/shown-step.ts';
import { BranchesCard } from './branches-card.tsx';
import { CompareBranches } from './compare-branches.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { NextCall } from './next-call.tsx';
import { PromptCard } from './prompt-card.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { StatusBanner } from './status-banner.tsx';
import { StepsCard } from './steps-card.tsx';
import { branchFrom, isOpen, playNext, taskOf, titleOf } from './subject.ts';
import { usePlay } from './use-play.ts';

/** A play: its prompt, its steps, and the next call. */
export function PlayPage({ id }: { readonly id: string }): ReactElement {
  const play = usePlay(id);
  if (play === undefined) return <PageWait title="Play" />;
  if (play === null)
    return (
      <PageAlone title="Play">
        <Empty title="The studio does not know this episode">
          <p>It forgets episodes when it stops. Save a branch as a game to keep it.</p>
          <a href={to(['play'])}>Begin another</a>
        </Empty>
      </PageAlone>
    );
  return <Played play={play} />;
}

function Played({ play }: { readonly play: Play }): ReactElement {
  const { query } = usePlace();
  const compared = query.get('with') ?? undefined;
  const other = usePlay(compared ?? null);
  const [dialog, setDialog] = useState<'save' | 'keys' | undefined>();
  const selected = toStep(query.get('step'), play.steps.length);
  const select = (step: number) => goInstead(to(['play', play.id], { step: step + 1, with: compared }));
  const branch = useAction(branchFrom);
  const next = useAction(() => playNext(play.id));
  const steps = useMemo(() => play.steps.map(fromPlay), [play.steps]);
  const others = useMemo(() => other?.steps.map(fromPlay), [other]);
  const title = titleOf(play.subject);
  useTitle(`${title} · Play`);
  useKeys({
    j: () => select(Math.min((selected ?? -1) + 1, play.steps.length - 1)),
    k: () => select(Math.max((selected ?? play.steps.length) - 1, 0)),
    r: () => branch.run(play.id, selected === undefined ? Math.max(0, play.steps.length - 1) : selected + 1),
    n: () => next.run(),
    '?': () => setDialog('keys'),
  });
  return (
    <>
      <PlayBar
        play={play}
        title={title}
        onSave={() => setDialog('save')}
        onNext={next.run}
        onKeys={() => setDialog('keys')}
      />
      {[branch.error, next.error].map((error) => error !== undefined && <Failed key={String(error)} error={error} />)}
      {other && <CompareBranches first={play} second={other} />}
      <div className="play playing">
        <div className="column">
          {play.subject.kind === 'episode' && (play.prompt !== null || isOpen(play)) && <PromptCard play={play} />}
          {!other && play.status !== 'failed' && <StepsCard play={play} selected={selected} onSelect={select} />}
          <StatusBanner play={play} />
        </div>
        <aside className="column" aria-label="Next call, reward and branches">
          {isOpen(play) && <NextCall play={play} />}
          {play.subject.kind === 'episode' && steps.length > 0 && (
            <Card title="Reward" side={<span className="pill">running total</span>}>
              <RewardChart steps={steps} other={others} />
            </Card>
          )}
          <BranchesCard id={play.id} compared={compared} />
        </aside>
      </div>
      {dialog === 'save' && <SaveDialog play={play.id} onClose={() => setDialog(undefined)} />}
      {dialog === 'keys' && <KeysDialog onClose={() => setDialog(undefined)} />}
    </>
  );
}

interface PlayBarProps {
  readonly play: Play;
  readonly title: string;
  readonly onSave: () => void;
  readonly onNext: () => void;
  readonly onKeys: () => void;
}

function PlayBar({ play, title, onSave, onNext, onKeys }: PlayBarProps): ReactElement {
  const { targets } = useStudio();
  const end = useAction(() => ask('POST /api/plays/:play/end', { path: { play: play.id } }));
  const target = targets.find(({ id }) => id === play.target);
  return (
    <div className="bar">
      <h1>{toSafeText(title)}</h1>
      <span className="pill">{toSafeText(taskOf(play.subject))}</span>
      {play.parent !== null && (
        <a className="pill" href={to(['play', play.parent.play])}>
          branch of {play.parent.play}, from step {play.parent.keep}
        </a>
      )}
      {play.secrets.length > 0 && (
        <span className="pill">secrets: {play.secrets.map((name) => `${toSafeText(name)} ••••`).join(', ')}</span>
      )}
      {target !== undefined && targets.length > 1 && <span className="pill">{toSafeText(target.name)}</span>}
      <span className="grow" />
      <button type="button" className="quiet" onClick={onKeys}>
        Keys <kbd>?</kbd>
      </button>
      {play.status === 'ready' && play.subject.kind === 'episode' && (
        <button type="button" disabled={end.isRunning} onClick={end.run}>
          End
        </button>
      )}
      <button type="button" onClick={onSave} disabled={play.steps.length === 0}>
        Save as…
      </button>
      {play.subject.kind === 'episode' && (
        <button type="button" onClick={onNext}>
          {'task' in play.subject.choice ? 'New episode' : 'Next task'} <kbd>N</kbd>
        </button>
      )}
    </div>
  );
}

function toStep(text: string | null, count: number): number | undefined {
  const step = Number(text) - 1;
  return text !== null && Number.isInteger(step) && step >= 0 && step < count ? step : undefined;
}
