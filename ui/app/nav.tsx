import { type ReactElement, useState } from 'react';
import type { Target } from '../../src/studio/api.ts';
import { toSafeText } from '../data/safe-text.ts';
import { site } from '../data/site.ts';
import { Mark } from '../parts/mark.tsx';
import { chooseTheme, readThemeChoice, type ThemeChoice } from '../parts/theme.ts';
import { to, usePlace } from './route.ts';
import { useStudio } from './studio.ts';

/** The way to all pages. */
export function Nav(): ReactElement {
  const { path } = usePlace();
  const { info, plays, runs, targets, jobs } = useStudio();
  const pages = site === undefined ? PAGES : PAGES.filter(({ name }) => name === 'runs');
  const counts: Readonly<Record<string, number>> = {
    play: plays.length,
    runs: runs?.length ?? info.runs,
    records: info.records,
    checks: jobs.length,
  };
  return (
    <nav aria-label="Main">
      <a className="brand" href={to([])} aria-label="Tiltyard studio">
        <Mark size="small" />
        <span>Tiltyard</span>
      </a>
      <ul>
        {pages
          .filter(({ name }) => name !== 'records' || info.records > 0)
          .map(({ name, label }) => (
            <li key={name}>
              <a href={to([name])} aria-current={path[0] === name ? 'page' : undefined}>
                {label}
                {(counts[name] ?? 0) > 0 && <span className="count">{counts[name]}</span>}
              </a>
            </li>
          ))}
      </ul>
      <div className="foot">
        {targets.slice(0, 3).map((target) => (
          <TargetCard key={target.id} target={target} />
        ))}
        {site !== undefined && (
          <p className="soft small">
            Exported {site.createdAt.slice(0, 10)} by tiltyard {site.version}
          </p>
        )}
        <ThemeSwitch />
      </div>
    </nav>
  );
}

const PAGES = [
  { name: 'environments', label: 'Environments' },
  { name: 'play', label: 'Play' },
  { name: 'live', label: 'Live' },
  { name: 'runs', label: 'Runs' },
  { name: 'records', label: 'Records' },
  { name: 'checks', label: 'Checks' },
];

function TargetCard({ target }: { readonly target: Target }): ReactElement {
  const { id, name, status, make, protocols } = target;
  const state = { up: 'up', down: 'away', looking: 'looking' }[status];
  return (
    <a className="target" href={to(['environments', id])}>
      <b>
        <i className={`dot ${status}`} aria-hidden="true" />
        <span className="name">{toSafeText(name.replace(/^https?:\/\//, ''))}</span>
      </b>
      <span>
        {status === 'up'
          ? [make === 'tiltyard' ? 'tiltyard' : 'other server', ...protocols.map((each) => each.toUpperCase())].join(
              ' · ',
            )
          : state}
      </span>
    </a>
  );
}

const NEXT: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: 'light', light: 'dark', dark: 'system' };
const SIGNS: Readonly<Record<ThemeChoice, string>> = { system: '◐', light: '○', dark: '●' };

function ThemeSwitch(): ReactElement {
  const [choice, setChoice] = useState(readThemeChoice);
  const choose = () => {
    chooseTheme(NEXT[choice]);
    setChoice(NEXT[choice]);
  };
  return (
    <button type="button" className="theme" onClick={choose}>
      <span aria-hidden="true">{SIGNS[choice]}</span> Theme: {choice}
    </button>
  );
}
