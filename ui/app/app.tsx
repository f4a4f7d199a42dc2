import { type ReactElement, useEffect, useState } from 'react';
import type { StudioInfo } from '../../src/studio/api.ts';
import { isNotEntered } from '../data/failure.ts';
import { Page } from '../pages/page.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { enter, firstPage } from './enter.ts';
import { goInstead, readPlace } from './route.ts';
import { Shell } from './shell.tsx';
import { StudioContext, useStudioState } from './studio.ts';

/** The whole page. */
export function App(): ReactElement {
  const [info, setInfo] = useState<StudioInfo | undefined>();
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` tries again.
  useEffect(() => {
    enter().then((entered) => {
      if (readPlace(location.hash).path.length === 0) goInstead(firstPage(entered));
      setInfo(entered);
    }, setError);
  }, [turn]);
  if (info !== undefined) return <Entered info={info} />;
  if (isNotEntered(error)) return <NotEntered />;
  if (error === undefined)
    return (
      <main className="alone">
        <Loading label="Opening the studio" />
      </main>
    );
  const retry = () => {
    setError(undefined);
    setTurn(turn + 1);
  };
  return (
    <main className="alone">
      <Failed error={error} onRetry={retry} />
    </main>
  );
}

function Entered({ info }: { readonly info: StudioInfo }): ReactElement {
  const studio = useStudioState(info);
  return (
    <StudioContext value={studio}>
      <Shell>
        <Page />
      </Shell>
    </StudioContext>
  );
}

function NotEntered(): ReactElement {
  return (
    <main className="alone">
      <Empty title="This page needs the address that the command printed">
        <p>
          Go back to the terminal where you typed <code>tiltyard studio</code>, and open the whole address, with all
          that comes after <code>#</code>. It changes with every start.
        </p>
      </Empty>
    </main>
  );
}
