import { useSyncExternalStore } from 'react';

/** What the person chose: by the system, or one of the two. */
export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'tiltyard-theme';
const watchers = new Set<() => void>();
const system = matchMedia('(prefers-color-scheme: dark)');

/** What was chosen before. */
export function readThemeChoice(): ThemeChoice {
  const kept = keep(() => localStorage.getItem(KEY));
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Applies a choice, and keeps it. */
export function chooseTheme(choice: ThemeChoice): void {
  keep(() => (choice === 'system' ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, choice)));
  applyTheme(choice);
}

/** Shows the page as it was chosen. */
export function applyTheme(choice: ThemeChoice): void {
  if (choice === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  for (const watcher of watchers) watcher();
}

/** The theme that is shown. */
export function useTheme(): 'light' | 'dark' {
  return useSyncExternalStore(watch, () => {
    const { theme } = document.documentElement.dataset;
    return (theme ?? (system.matches ? 'dark' : 'light')) === 'dark' ? 'dark' : 'light';
  });
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  system.addEventListener('change', watcher);
  return () => {
    watchers.delete(watcher);
    system.removeEventListener('change', watcher);
  };
}

/** A browser may keep nothing for a page: the choice then lasts as long as the tab. */
function keep<Value>(use: () => Value): Value | null {
  try {
    return use();
  } catch {
    return null;
  }
}
