import type { ReactElement } from 'react';
import type { Target } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { useStudio } from '../../app/studio.ts';
import { useAnswer } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { AddTarget } from './add-target.tsx';
import { EnvironmentView } from './environment-view.tsx';
import { ToolkitsView } from './toolkits-view.tsx';

/** What a server offers: its environments, and its toolkits. */
export function EnvironmentsPage({
  target: id,
  environment,
}: {
  readonly target: string | undefined;
  readonly environment: string | undefined;
}): ReactElement {
  const { targets } = useStudio();
  const target = targets.find((each) => each.id === id) ?? (id === undefined ? targets[0] : undefined);
  useTitle('Environments');
  return (
    <>
      <div className="bar">
        <h1>Environments</h1>
        <span className="grow" />
        <AddTarget />
      </div>
      {targets.length > 1 && (
        <nav className="subnav" aria-label="Servers">
          {targets.map((each) => (
            <a
              key={each.id}
              href={to(['environments', each.id])}
              aria-current={each.id === target?.id ? 'true' : undefined}
            >
              <i className={`dot ${each.status}`} aria-hidden="true" />
              {toSafeText(each.name)}
            </a>
          ))}
        </nav>
      )}
      {target === undefined ? (
        <Empty title={id === undefined ? 'No server yet' : 'The studio does not know this server'}>
          <p>
            Add the URL of any ORS or OXP server above, in whatever language it is written. Or name it when you start
            the studio: <code>tiltyard studio http://localhost:8080</code>, or{' '}
            <code>tiltyard studio my-environment.ts</code>
          </p>
        </Empty>
      ) : (
        <TargetView key={`${target.id} ${target.reconnects}`} target={target} environment={environment} />
      )}
    </>
  );
}

function TargetView({
  target,
  environment,
}: {
  readonly target: Target;
  readonly environment: string | undefined;
}): ReactElement {
  const hasTools = target.protocols.includes('oxp');
  const hasEpisodes = target.protocols.includes('ors');
  const names = useAnswer(hasEpisodes ? 'GET /api/targets/:target/environments' : null, {
    path: { target: target.id },
  });
  if (target.status === 'looking') return <Loading lines={5} label={`Looking at ${target.name}`} />;
  if (target.status === 'down' && names.data === undefined)
    return (
      <Empty title={`${target.name} is away`}>
        <p>{toSafeText(target.problem?.message ?? `Nothing answers at ${target.url}.`)}</p>
        <p>The page shows what it offers as soon as it is back.</p>
      </Empty>
    );
  if (names.error !== undefined) return <Failed error={names.error} onRetry={names.reload} />;
  if (hasEpisodes && names.data === undefined) return <Loading lines={5} />;
  const shown = environment ?? names.data?.[0] ?? (hasTools ? TOOLKITS : undefined);
  const tabs = [...(names.data ?? []), ...(hasTools ? [TOOLKITS] : [])];
  return (
    <>
      <nav className="subnav" aria-label="Environments of the server">
        {tabs.map((name) => (
          <a key={name} href={to(['environments', target.id, name])} aria-current={name === shown ? 'true' : undefined}>
            {name === TOOLKITS ? 'Toolkits' : toSafeText(name)}
          </a>
        ))}
      </nav>
      {shown === undefined && <Empty title="This server has no environments and no tools" />}
      {shown === TOOLKITS && <ToolkitsView target={target.id} />}
      {shown !== undefined && shown !== TOOLKITS && (
        <EnvironmentView key={shown} target={target.id} environment={shown} />
      )}
    </>
  );
}

// No environment can have this name: it is no part of a path.
const TOOLKITS = '~toolkits';
