import { useSyncExternalStore } from 'react';

/** Where the page is: what stands after `#/` in its address. */
export interface Place {
  /** `runs`, `r1`, `episodes`, `7`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads the fragment of an address. */
export function readPlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

/** The address of a place. */
export function to(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes somewhere; the browser's back button comes back. */
export function go(address: string): void {
  location.hash = address;
}

/** Goes somewhere in the place of where the page is, for what is no step of its own: a filter, a chosen row. */
export function goInstead(address: string): void {
  history.replaceState(history.state, '', address);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Where the page is. */
export function usePlace(): Place {
  const hash = useSyncExternalStore(watchHash, () => location.hash);
  return readPlace(hash);
}

function watchHash(watcher: () => void): () => void {
  addEventListener('hashchange', watcher);
  return () => removeEventListener('hashchange', watcher);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
